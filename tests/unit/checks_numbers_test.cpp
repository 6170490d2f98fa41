// Division by zero, and numbers that are not finite.
#include "checks/numbers.h"
#include "checks_lab.h"

namespace ww::checks::numbers_test {

namespace {

using engine::says;

std::string kernel(const std::string& body) {
  return R"(
.visible .entry k(.param .u64 p) {
  .reg .u64 %rd<9>; .reg .u32 %r<20>; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .pred %p<9>; .reg .u16 %h<9>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  .reg .b32 %zero; and.b32 %zero, %r1, 0;
)" + body +
         "\n  ret;\n}\n";
}

template <class C>
std::string said(const std::string& body) {
  CheckLab<C> lab(kernel(body));
  lab.run(1, 32, {lab.words(64)});
  return lab.said();
}

TEST(CheckNumbers, DivisionByZero) {
  EXPECT_TRUE(
      says(said<Divisions>("sub.u32 %r2, %r1, 3; div.s32 %r3, 7, %r2;"), {"divided by zero", "thread 3"}));
  EXPECT_TRUE(says(said<Divisions>("cvt.u64.u32 %rd2, %r1; rem.u64 %rd3, 7, %rd2;"),
                   {"divided by zero", "thread 0"}));
  EXPECT_EQ(said<Divisions>("add.u32 %r2, %r1, 1; div.s32 %r3, 7, %r2;"), "");
  EXPECT_EQ(said<Divisions>("setp.ne.u32 %p1, %r1, 0; @%p1 div.u32 %r3, 7, %r1;"), "");
}

TEST(CheckNumbers, TheFirstThatIsNotFinite) {
  // 1 / x is infinite for lane 0, where inf - inf then is a NaN of an infinite operand: not told again.
  const std::string text =
      said<Floats>("cvt.rn.f32.u32 %f1, %r1; div.rn.f32 %f2, 0f3F800000, %f1; sub.f32 %f3, %f2, %f2;");
  EXPECT_TRUE(says(text, {"finite numbers give an infinity", "thread 0"}));
  EXPECT_EQ(text.find("NaN"), std::string::npos);
  EXPECT_TRUE(says(
      said<Floats>("cvt.rn.f64.s32 %d1, %r1; sub.f64 %d1, %d1, 0d4000000000000000; sqrt.rn.f64 %d1, %d1;"),
      {"give a NaN", "thread 0"}));
  EXPECT_EQ(
      said<Floats>("cvt.rn.f32.u32 %f1, %r1; add.f32 %f1, %f1, 0f3F800000; div.rn.f32 %f2, 0f3F800000, %f1;"),
      "");
}

TEST(CheckNumbers, DifferencesThatKeepNoBit) {
  // 0x4B000000 is 2^23, whose last bit is worth 1. (`or` with 0 makes variables of numbers.)
  const std::string large =
      "cvt.rn.f32.u32 %f1, %r1; or.b32 %f2, %zero, 0x4B000000; or.b32 %f3, %zero, 0x4B000004;";
  const std::string keep = "mul.f32 %f4, %f4, %f1; st.global.f32 [%rd1], %f4;";
  EXPECT_TRUE(says(said<Floats>(large + "or.b32 %f3, %zero, 0x4B000003; sub.f32 %f4, %f3, %f2;" + keep),
                   {"keeps 2 of 24 bits"}));
  EXPECT_TRUE(says(said<Floats>(large + "or.b32 %f3, %zero, 0x4B000001; sub.f32 %f4, %f3, %f2;" + keep),
                   {"keeps 1 of 24 bits"}));
  // 3 · 3 - 8.999999 = 9.5e-7, the last bit of 9.
  EXPECT_TRUE(
      says(said<Floats>(
               "or.b32 %f2, %zero, 0x40400000; or.b32 %f3, %zero, 0xC10FFFFF; fma.rn.f32 %f4, %f2, %f2, %f3;"
               "cvt.rn.f32.u32 %f1, %r1;" +
               keep),
           {"keeps 1 of 24 bits"}));
  // E[x²] - E[x]², as compilers fuse it: -3 · 3 + 9.000001.
  const std::string seed = "cvt.rn.f32.u32 %f1, %r1;";
  EXPECT_TRUE(
      says(said<Floats>("or.b32 %f2, %zero, 0x40400000; or.b32 %f3, %zero, 0x41100001; neg.f32 %f5, %f2;"
                        "fma.rn.f32 %f4, %f5, %f2, %f3;" +
                        seed + keep),
           {"keeps 1 of 24 bits"}));
  // a = 1 + 2^-12, and 1 + 2^-11, which is a² rounded: their difference is 2^-24, less than a last bit.
  const std::string fused = "or.b32 %f2, %zero, 0x3F800800; or.b32 %f3, %zero, 0x3F801000; neg.f32 %f5, %f2;";
  EXPECT_TRUE(
      says(said<Floats>(fused + "fma.rn.f32 %f4, %f5, %f2, %f3;" + seed + keep), {"keeps none of 24 bits"}));
  const auto quiet = [&](const std::string& body) { EXPECT_EQ(said<Floats>(large + body), ""); };
  // The rounding error of a product, exactly; and what a division leaves.
  quiet(fused + "mul.f32 %f6, %f2, %f2; fma.rn.f32 %f4, %f5, %f2, %f6;" + keep);
  quiet(fused + "div.rn.f32 %f6, %f3, %f2; fma.rn.f32 %f4, %f5, %f6, %f3;" + keep);
  quiet("sub.f32 %f4, %f3, %f2;" + keep);  // 3 bits are left
  quiet("sub.f32 %f4, %f2, %f2;" + keep);  // equal: nothing was rounded away
  quiet("or.b32 %f3, %zero, 0x4B000001; sub.f32 %f4, %f3, %f2; abs.f32 %f4, %f4; setp.lt.f32 %p1, %f4, %f1;");
  quiet("or.b32 %f3, %zero, 0x4B000001; add.f32 %f4, %f3, 0fCB000000;" + keep);  // with a constant
  // With a constant in a register: what is left of 1 - x · y, by which Newton's method corrects a quotient,
  // and the number that rounds to an integer.
  quiet(
      "or.b32 %f2, %zero, 0x3F800001; or.b32 %f3, %zero, 0xBF7FFFFE; mov.f32 %f5, 0f3F800000;"
      "fma.rn.f32 %f4, %f2, %f3, %f5;" +
      keep);
  quiet("mov.f32 %f5, 0fCB000000; or.b32 %f3, %zero, 0x4B000001; add.f32 %f4, %f3, %f5;" + keep);
  // An integer that becomes a float64 as the lower half of 2^52 + n.
  quiet(
      "mov.u32 %r2, 0x43300000; mov.u32 %r3, 0x80000000; xor.b32 %r4, %r1, 0x80000001;"
      "mov.b64 %d2, {%r4, %r2}; mov.b64 %d3, {%r3, %r2}; sub.f64 %d4, %d2, %d3; cvt.rn.f32.f64 %f4, %d4;" +
      keep);
  // What compensated sums do on purpose: (s + x) - s - x, and with -s.
  quiet("neg.f32 %f7, %f2; add.f32 %f5, %f2, %f1; add.f32 %f6, %f5, %f7; st.global.f32 [%rd1], %f6;");
  quiet("add.f32 %f5, %f2, %f1; sub.f32 %f6, %f5, %f2; sub.f32 %f4, %f6, %f1;" + keep);
}

TEST(CheckNumbers, ProductsThatAChoiceLeaves) {
  // 65536 · 65536 = 2^32 on one side of a choice, as compilers calculate both sides; below, in lane 5 alone.
  const std::string product = "or.b32 %r2, %zero, 65536; mul.lo.s32 %r3, %r2, %r2; cvt.s64.s32 %rd2, %r3; ";
  const std::string use = "add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r4, [%rd4];";
  const auto said_of = [&](const std::string& choice) { return said<Overflows>(product + choice + use); };
  EXPECT_EQ(said_of("setp.eq.u32 %p1, %r1, 99; selp.b64 %rd3, %rd2, 0, %p1; "), "");
  EXPECT_EQ(said_of("setp.ne.u32 %p1, %r1, 99; selp.b64 %rd3, 0, %rd2, %p1; "), "");
  EXPECT_TRUE(says(said_of("setp.eq.u32 %p1, %r1, 5; selp.b64 %rd3, %rd2, 0, %p1; "),
                   {"32-bit product", "thread 5"}));
  EXPECT_TRUE(says(said_of("setp.ne.u32 %p1, %r1, 5; selp.b64 %rd3, 0, %rd2, %p1; "),
                   {"32-bit product", "thread 5"}));
  EXPECT_TRUE(says(said_of("setp.ne.u32 %p1, %r1, 5; selp.b64 %rd3, %rd2, 0, !%p1; "),
                   {"32-bit product", "thread 5"}));
  // Without a choice, in all lanes.
  EXPECT_TRUE(says(said_of("mov.b64 %rd3, %rd2; "), {"32-bit product", "thread 0"}));
}

}  // namespace

}  // namespace ww::checks::numbers_test
