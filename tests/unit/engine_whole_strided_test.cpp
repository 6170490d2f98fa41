// Whole-warp code loads rows where the lanes' elements lie a few apart, for several loads at once where they
// read what lies between: the interpreter reads element by element, and both must find the same.
#include <cstdlib>

#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

/// Each thread (number %r3 of its block) reads words from shared memory or straight from `in`, `apart` bytes
/// from one thread's to the next one's, with these loads ({0} stands for the address), and adds them up.
std::string kernel(bool shared, int apart, const std::string& loads, bool by_column) {
  return fmt::format(R"(.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b32 %r<24>; .reg .b64 %d<6>; .reg .pred %p<6>; .reg .f64 %g<4>; .reg .b64 %w<6>;
.shared .align 16 .b8 words[8192];
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.y; mul.lo.u32 %r5, %r5, %r2; mad.lo.u32 %r5, %r4, %r5, %r3;
mul.wide.u32 %d2, %r5, 64; add.s64 %d1, %d1, %d2;
mov.u32 %r6, %r3;
FILL: mul.wide.u32 %d3, %r6, 4; add.s64 %d3, %d0, %d3; ld.global.u32 %r7, [%d3];
mov.u32 %r8, words; mad.lo.u32 %r8, %r6, 4, %r8; add.u32 %r7, %r7, %r4; st.shared.u32 [%r8], %r7;
add.u32 %r6, %r6, 32; setp.lt.u32 %p0, %r6, 2048; @%p0 bra FILL;
bar.sync 0;
mov.u32 %r8, words; mad.lo.u32 %r8, {1}, {0}, %r8; mul.wide.u32 %d4, {1}, {0}; add.s64 %d4, %d0, %d4;
mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;
mov.b64 %w0, 0; mov.b64 %w1, 0;
)",
                     apart, by_column ? "%r0" : "%r3") +
         fmt::format(fmt::runtime(loads), shared ? "shared" : "global", shared ? "%r8" : "%d4") + R"(
cvt.u32.u64 %r14, %w0; cvt.u32.u64 %r15, %w1; shr.u64 %w0, %w0, 32; cvt.u32.u64 %r16, %w0;
mad.lo.u32 %r10, %r10, 31, %r11; mad.lo.u32 %r10, %r10, 31, %r12; mad.lo.u32 %r10, %r10, 31, %r13;
mad.lo.u32 %r10, %r10, 31, %r14; mad.lo.u32 %r10, %r10, 31, %r15; xor.b32 %r10, %r10, %r16;
st.global.u32 [%d1], %r10; ret;
})";
}

class WholeStrided : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
    setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  }
  static void expect_whole(const std::string& text, Form block) {
    SCOPED_TRACE(text);
    const Outcome3 o = expect_the_same(text, {3, 1, 1}, block);
    EXPECT_TRUE(o.whole);
    EXPECT_EQ(o.fault, "");
  }
};

constexpr const char* kFourInTurn =
    "ld.{0}.u32 %r10, [{1}]; ld.{0}.u32 %r11, [{1} + 4];\nld.{0}.u32 %r12, [{1} + 8]; "
    "ld.{0}.u32 %r13, [{1} + 12];\n";

TEST_F(WholeStrided, NeighboursOfFour) {
  for (const bool shared : {true, false}) {
    expect_whole(kernel(shared, 16, kFourInTurn, true), {16, 4, 1});  // both half-warps read the same
    expect_whole(kernel(shared, 16, kFourInTurn, false), {64, 1, 1});
  }
}

/// Half-warps of one row each, and rows that begin in the middle of the block's.
TEST_F(WholeStrided, RowsOfAllKinds) {
  for (const Form block : {Form{16, 3, 1}, Form{48, 2, 1}, Form{32, 2, 1}, Form{50, 1, 1}})
    expect_whole(kernel(true, 16, kFourInTurn, true), block);
}

/// Three, five and more elements apart, and not all of what lies between is read: nothing behind the last
/// element may be asked for.
TEST_F(WholeStrided, OtherStridesAndGaps) {
  for (const int apart : {8, 12, 20, 32})
    for (const char* loads : {
             "ld.{0}.u32 %r10, [{1}]; ld.{0}.u32 %r11, [{1} + 4];\n",
             "ld.{0}.u32 %r10, [{1} + 4]; ld.{0}.u32 %r11, [{1}];\n",
             "ld.{0}.u32 %r10, [{1}]; ld.{0}.u32 %r11, [{1} + 24]; ld.{0}.u32 %r12, [{1} + 8]; "
             "ld.{0}.u32 %r13, [{1} + 36];\n",
         })
      expect_whole(kernel(true, apart, loads, false), {32, 2, 1});
}

TEST_F(WholeStrided, Vectors) {
  for (const bool shared : {true, false}) {
    expect_whole(kernel(shared, 16, "ld.{0}.v4.u32 {{%r10, %r11, %r12, %r13}}, [{1}];\n", true), {16, 4, 1});
    expect_whole(kernel(shared, 16, "ld.{0}.v4.u32 {{%r10, %r11, %r12, %r13}}, [{1}];\n", false), {32, 2, 1});
    expect_whole(kernel(shared, 32, "ld.{0}.v4.u32 {{%r10, _, %r12, %r13}}, [{1} + 16];\n", false),
                 {32, 2, 1});
    expect_whole(kernel(shared, 8, "ld.{0}.v2.u32 {{%r10, %r11}}, [{1}];\n", false), {32, 2, 1});
    expect_whole(kernel(shared, 16, "ld.{0}.v2.u64 {{%w0, %w1}}, [{1}];\n", false), {32, 2, 1});
    expect_whole(kernel(shared, 32, "ld.{0}.u64 %w0, [{1} + 8]; ld.{0}.u64 %w1, [{1} + 24];\n", false),
                 {32, 2, 1});
  }
}

/// Tiles are read by numbers made of the thread's, as compilers write remainders, quotients and sums: %r9 of
/// %r0 (%tid.x) and %r5 (in the grid), below 128.
TEST_F(WholeStrided, NumbersOfTiles) {
  const std::string numbers[] = {
      "and.b32 %r9, %r0, 15;",                         // % 16
      "shl.b32 %r17, %r0, 2; and.b32 %r9, %r17, 60;",  // % 16 * 4
      "shl.b32 %r17, %r0, 1; and.b32 %r9, %r17, 96;",  // / 16 * 32
      "shl.b32 %r17, %r0, 2; and.b32 %r9, %r17, 20;",  // bits here and there
      "and.b32 %r9, %r0, 96;",                         // the same in a whole warp
      "and.b32 %r17, %r0, 15; or.b32 %r9, %r17, 48;",  // no carries …
      "shl.b32 %r17, %r0, 1; or.b32 %r9, %r17, 1;",    // … but for none of these
      "shl.b32 %r17, %r0, 1; and.b32 %r18, %r17, 62; or.b32 %r9, %r18, 16;",
      "add.u32 %r17, %r0, 8; and.b32 %r9, %r17, 15;",   // begins in the middle of sixteen
      "add.u32 %r17, %r0, 8; and.b32 %r9, %r17, 112;",  //
      "and.b32 %r9, %r5, 15;",                          // begins wherever the block does
      "shl.b32 %r17, %r5, 1; and.b32 %r9, %r17, 96;",   //
      // With a sign: what is added to negative numbers is nothing for others.
      "shr.s32 %r17, %r0, 31; shr.u32 %r18, %r17, 28; add.s32 %r19, %r0, %r18; and.b32 %r9, %r19, -16;",
      "shr.s32 %r17, %r0, 31; shr.u32 %r18, %r17, 28; add.s32 %r19, %r0, %r18; and.b32 %r20, %r19, -16; "
      "sub.s32 %r21, %r0, %r20; shl.b32 %r9, %r21, 2;",
      "add.s32 %r17, %r0, -40; shr.s32 %r18, %r17, 31; shr.u32 %r19, %r18, 28; add.s32 %r20, %r17, %r19; "
      "and.b32 %r21, %r20, -16; sub.s32 %r22, %r17, %r21; add.s32 %r9, %r22, 16;",
  };
  for (const std::string& number : numbers)
    for (const Form block : {Form{64, 1, 1}, Form{50, 1, 1}, Form{16, 3, 1}}) {
      // (Where it does not follow from lane to lane after all, the interpreter goes on.)
      SCOPED_TRACE(number);
      std::string text = kernel(true, 4, "ld.{0}.u32 %r10, [{1}]; ld.{0}.u32 %r11, [{1} + 4];\n", false);
      text.replace(text.find("mov.u32 %r8, words; mad.lo.u32 %r8, %r3, 4, %r8;"), 48,
                   number + " mov.u32 %r8, words; mad.lo.u32 %r8, %r9, 4, %r8;");
      const Outcome3 o = expect_the_same(text, {3, 1, 1}, block);
      EXPECT_TRUE(o.whole);
      EXPECT_EQ(o.fault, "");
    }
}

}  // namespace
}  // namespace ww::engine
