// Rows of one kind that stand in many places of a kernel, which compiled code computes by one function for
// all of them, against the interpreter.
#include <fmt/format.h>

#include <cstdlib>

#include "../long.h"
#include "engine/compile/compile.h"
#include "engine/lanes/lanes.h"
#include "engine_kernels.h"

namespace ww::engine {
namespace {

constexpr u32 kThreads = 4 * 96;
constexpr u32 kWords = 32;  // of each thread

/// Rows with long code: %f1 to %f3 are made of %f0 to %f2, in another order each time.
std::string rows(const char* guard, u32 turns) {
  std::string text;
  for (u32 k = 0; k < turns; ++k) {
    const u32 a = k % 3, b = (k + 1) % 3, c = (k + 2) % 3;
    text += fmt::format(
        "{0} ex2.approx.f32 %f{1}, %f{2}; {0} div.rn.f32 %f{3}, %f{1}, %f{2}; {0} fma.rm.f32 %f{2}, %f{1}, "
        "%f{3}, %f{2};\n"
        "{0} lg2.approx.ftz.f32 %f{1}, %f{3}; {0} cvt.rn.f16.f32 %h0, %f{2}; {0} cvt.f32.f16 %f{2}, %h0;\n"
        "{0} cvt.f64.f32 %e0, %f{1}; {0} div.rn.f64 %e1, %e1, %e0; {0} cvt.rn.f32.f64 %f{3}, %e1;\n"
        "{0} sin.approx.f32 %f{2}, %f{3}; {0} rem.u32 %r3, %r3, %r2; {0} add.u32 %r3, %r3, 77;\n"
        "{0} testp.subnormal.f32 %p1, %f{1}; {0} selp.f32 %f{1}, %f{2}, %f{1}, %p1;\n",
        guard, a, b, c);
  }
  return text;
}

std::string kernel_of_turns(u32 turns) {
  std::string text = R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .pred %p<4>; .reg .b32 %r<5>; .reg .b64 %d<4>; .reg .f32 %f<4>; .reg .f64 %e<3>; .reg .b16 %h<2>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r1, %r1, %r2, %r0;
mul.wide.u32 %d2, %r1, 16; add.s64 %d0, %d0, %d2; mul.wide.u32 %d2, %r1, 128; add.s64 %d1, %d1, %d2;
ld.global.f32 %f0, [%d0]; ld.global.f32 %f1, [%d0 + 4]; ld.global.f32 %f2, [%d0 + 8]; ld.global.u32 %r3, [%d0 + 12];
cvt.f64.f32 %e1, %f1; and.b32 %r4, %r0, 3; setp.eq.u32 %p0, %r4, 1; setp.lt.u32 %p2, %r3, 2000000000;
)";
  u32 at = 0;
  const auto put = [&] {
    for (u32 k = 0; k < 3; ++k) text += fmt::format("st.global.f32 [%d1 + {}], %f{};\n", 4 * at++, k);
    text +=
        fmt::format("st.global.u32 [%d1 + {}], %r3; st.global.f64 [%d1 + {}], %e1;\n", 4 * at, 4 * at + 4);
    at += 3;
  };
  text += rows("", turns), put();
  text += "@%p0 bra OTHER;\n" + rows("", turns) + "bra BOTH;\nOTHER:\n" + rows("", 1) + "BOTH:\n", put();
  text += rows("@%p2", turns), put();
  return text + "ret;\n}\n";
}

/// What the kernel stores; `whole`: whether it had whole-warp code.
std::vector<u32> run(const char* back, const char* lanes, u32 turns, bool& whole) {
  Settings settings = Lab::small(1);
  settings.back = back;
  settings.lanes = lanes;
  Lab lab(kernel_of_turns(turns), settings);
  const u64 in = lab.words(4 * kThreads), out = lab.words(kWords * kThreads);
  u32* words = lab.host(in);
  for (u32 k = 0; k < 4 * kThreads; ++k) words[k] = k * 2654435761u >> (k % 29);
  const auto ran = lab.launch(4, 96, {in, out});
  EXPECT_TRUE(ran && ran->faults.empty());
  for (const auto& [name, program] : lab.module->programs) whole = program->functions[0]->whole != nullptr;
  return {lab.host(out), lab.host(out) + kWords * kThreads};
}

TEST(Routines, ComputeWhatRowsDo) {
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  for (const char* lanes : {"avx512", "avx2"}) {
    std::string why;
    const LaneCode* code = lane_code(lanes);
    if (!code || !can_compile(*code, why) || (code != lane_code() && !all_are_tried())) continue;
    for (const u32 turns : {1u, 4u}) {  // each kind in 4 places, and in 13
      bool whole = false;
      const std::vector<u32> expected = run("interpreter", lanes, turns, whole);
      EXPECT_FALSE(whole);
      const std::vector<u32> made = run("compiled", lanes, turns, whole);
      EXPECT_TRUE(whole);
      for (u32 k = 0; k < expected.size(); ++k)
        ASSERT_EQ(made[k], expected[k])
            << lanes << ", " << turns << " turns, thread " << k / kWords << ", word " << k % kWords;
    }
  }
}

/// Constants have no register that could be passed (found 2026-11-26: lanes behind the first divided by 0).
TEST(Routines, DivideByConstants) {
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  constexpr u32 kPlaces = 20, kLong = 48;
  std::string text = R"(.visible .entry k(.param .u64 out) {
.reg .b32 %r<3>; .reg .b64 %d<3>;
ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.s64 %d0, %d0, %d1;
)";
  for (u32 k = 0; k < kPlaces; ++k)
    text += fmt::format("add.u32 %r1, %r0, {}; rem.u32 %r2, %r1, 48; st.global.u32 [%d0 + {}], %r2;\n", k,
                        4 * kLong * k);
  Settings settings = Lab::small(1);
  settings.back = "compiled";
  Lab lab(text + "ret;\n}\n", settings);
  const u64 out = lab.words(kPlaces * kLong);
  const auto ran = lab.launch(1, kLong, {out});
  ASSERT_TRUE(ran && ran->faults.empty());
  for (u32 k = 0; k < kPlaces * kLong; ++k)
    ASSERT_EQ(lab.host(out)[k], (k % kLong + k / kLong) % 48) << "place " << k / kLong;
}

}  // namespace
}  // namespace ww::engine
