// Whole-warp code rounds halves by other instructions than the interpreter, whose results
// engine_half_test.cpp compares with exact integers: the two must agree on numbers of all kinds.
#include <cstdlib>

#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

/// Each thread makes 200 times three words of its own, %r4 to %r6, and adds what `body` makes of them in %r7
/// to its result.
std::string kernel_on_halves(const std::string& body) {
  return R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<24>; .reg .b64 %d<6>; .reg .pred %p<6>; .reg .b16 %h<10>; .reg .f32 %f<4>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d2, %r3, 64; add.s64 %d1, %d1, %d2; mul.wide.u32 %d3, %r3, 4; add.s64 %d0, %d0, %d3;
ld.global.u32 %r8, [%d0]; mov.u32 %r9, 0; mov.u32 %r10, 0;
NEXT: mad.lo.u32 %r8, %r8, 1664525, 1013904223; xor.b32 %r8, %r8, %r9; prmt.b32 %r4, %r8, 0, 0x1032;
mad.lo.u32 %r8, %r8, 1664525, 1013904223; prmt.b32 %r5, %r8, 0, 0x2103;
mad.lo.u32 %r8, %r8, 1664525, 1013904223; prmt.b32 %r6, %r8, 0, 0x3210;
)" + body +
         R"(
mad.lo.u32 %r10, %r10, 31, %r7; add.u32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, 200; @%p0 bra NEXT;
st.global.u32 [%d1], %r10; st.global.u32 [%d1 + 4], %r7; ret;
})";
}

void expect_equal_halves(const std::string& body) {
  for (const Form block : {Form{64, 1, 1}, Form{50, 1, 1}}) {
    SCOPED_TRACE(body);
    const Outcome3 o = expect_the_same(kernel_on_halves(body), {12, 1, 1}, block);
    EXPECT_TRUE(o.whole);
    EXPECT_EQ(o.left, 0u);
  }
}

TEST(WholeWarpsHalves, FusedAndProducts) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  for (const char* type : {"f16", "bf16"}) {
    // Of one size, so that sums are often halfway between two numbers; then with sums that nearly cancel.
    const u32 one = type[0] == 'f' ? 0x3c003c00 : 0x3f803f80, kept = type[0] == 'f' ? 0x83ff83ff : 0x807f807f;
    const std::string near = fmt::format(
        "and.b32 %r4, %r4, {0}; or.b32 %r4, %r4, {1}; and.b32 %r5, %r5, {0}; or.b32 %r5, %r5, {1};\n"
        "and.b32 %r6, %r6, {0}; or.b32 %r6, %r6, {1};\n",
        kept, one);
    const std::string cancel = fmt::format(
        "mul.{0}x2 %r11, %r4, %r5; neg.{0}x2 %r11, %r11; and.b32 %r6, %r6, 0x00030001;\n"
        "add.u32 %r6, %r11, %r6;\n",
        type);
    for (const std::string& before : {std::string(), near, cancel, near + cancel}) {
      expect_equal_halves(before + fmt::format("fma.rn.{}x2 %r7, %r4, %r5, %r6;", type));
      expect_equal_halves(before + fmt::format("mul.{}x2 %r7, %r4, %r5;", type));
      expect_equal_halves(before +
                          fmt::format("mov.b32 {{%h0, %h1}}, %r4; mov.b32 {{%h2, %h3}}, %r5; mov.b32 "
                                      "{{%h4, %h5}}, %r6;\nfma.rn.{0} %h6, %h0, %h2, %h4; mul.{0} %h7, %h1, "
                                      "%h3;\nsetp.lt.u32 %p1, %r4, %r5; @%p1 fma.rn.{0} %h7, %h6, %h1, %h5;\n"
                                      "mov.b32 %r7, {{%h6, %h7}};",
                                      type));
    }
  }
}

TEST(WholeWarpsHalves, ComparisonsAndConversions) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  for (const char* type : {"f16", "bf16"}) {
    const std::string parts = "mov.b32 {%h0, %h1}, %r4; mov.b32 {%h2, %h3}, %r5;\n";
    expect_equal_halves(parts + fmt::format("cvt.f32.{0} %f0, %h0; cvt.f32.{0} %f1, %h1; add.f32 %f2, %f0, "
                                            "%f1; cvt.rn.{0}.f32 %h4, %f2; cvt.rz.{0}.f32 %h5, %f0;\n"
                                            "mov.b32 %r7, %f2; mov.b32 %r11, {{%h4, %h5}}; xor.b32 %r7, %r7, "
                                            "%r11;",
                                            type));
    expect_equal_halves(parts + fmt::format("setp.lt.{0} %p1, %h0, %h2; setp.nan.{0} %p2, %h1, %h3; "
                                            "setp.ne.{0} %p3, %h0, %h0; selp.u32 %r7, 1, 0, %p1;\n"
                                            "selp.u32 %r11, 2, 0, %p2; selp.u32 %r12, 4, 0, %p3; or.b32 %r7, "
                                            "%r7, %r11; or.b32 %r7, %r7, %r12;",
                                            type));
    expect_equal_halves(
        fmt::format("add.{0}x2 %r7, %r4, %r5; sub.{0}x2 %r11, %r7, %r6; max.{0}x2 %r12, %r11, "
                    "%r4; min.NaN.{0}x2 %r13, %r12, %r5; xor.b32 %r7, %r7, %r13;",
                    type));
  }
}

}  // namespace
}  // namespace ww::engine
