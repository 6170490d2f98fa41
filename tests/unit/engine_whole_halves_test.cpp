// Whole-warp code rounds halves by other instructions than the interpreter, whose results
// engine_half_test.cpp compares with exact integers: the two must agree on numbers of all kinds.
#include <cstdlib>

#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

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
      // All in one kernel, as compiling it takes longer than running it.
      expect_equal_words(before +
                         fmt::format("mov.b32 {{%h0, %h1}}, %r4; mov.b32 {{%h2, %h3}}, %r5; mov.b32 "
                                     "{{%h4, %h5}}, %r6;\nfma.rn.{0} %h6, %h0, %h2, %h4; mul.{0} %h7, %h1, "
                                     "%h3;\nsetp.lt.u32 %p1, %r4, %r5; @%p1 fma.rn.{0} %h7, %h6, %h1, %h5;\n"
                                     "mov.b32 %r7, {{%h6, %h7}};\n"
                                     "fma.rn.{0}x2 %r11, %r4, %r5, %r6; mad.lo.u32 %r7, %r7, 31, %r11;\n"
                                     "mul.{0}x2 %r11, %r4, %r5; mad.lo.u32 %r7, %r7, 31, %r11;",
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
    expect_equal_words(parts + fmt::format("cvt.f32.{0} %f0, %h0; cvt.f32.{0} %f1, %h1; add.f32 %f2, %f0, "
                                           "%f1; cvt.rn.{0}.f32 %h4, %f2; cvt.rz.{0}.f32 %h5, %f0;\n"
                                           "mov.b32 %r7, %f2; mov.b32 %r11, {{%h4, %h5}}; xor.b32 %r7, %r7, "
                                           "%r11;",
                                           type));
    expect_equal_words(parts + fmt::format("setp.lt.{0} %p1, %h0, %h2; setp.nan.{0} %p2, %h1, %h3; "
                                           "setp.ne.{0} %p3, %h0, %h0; selp.u32 %r7, 1, 0, %p1;\n"
                                           "selp.u32 %r11, 2, 0, %p2; selp.u32 %r12, 4, 0, %p3; or.b32 %r7, "
                                           "%r7, %r11; or.b32 %r7, %r7, %r12;",
                                           type));
    expect_equal_words(
        fmt::format("add.{0}x2 %r7, %r4, %r5; sub.{0}x2 %r11, %r7, %r6; max.{0}x2 %r12, %r11, "
                    "%r4; min.NaN.{0}x2 %r13, %r12, %r5; xor.b32 %r7, %r7, %r13;",
                    type));
  }
}

}  // namespace
}  // namespace ww::engine
