// Loops that lanes leave at different times and that only load and compute: lane by lane, or side by side
// where their loads lie in a row.
#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

/// Each lane adds up as many pairs of words as its number says: how many, and how far its words lie from its
/// neighbour's.
struct Sums {
  u32 least, more;  ///< rounds of thread t: least + t * 5 % more
  u32 distance;     ///< words
  bool by_index;    ///< the address is made of an index in each round; otherwise it is moved on
};

TEST(WholeWarpsLanes, LeaveLoopsAtDifferentTimes) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const auto input = [](u32 k) { return k * 2654435761u >> (k % 29); };  // run_with() fills it so
  const u32 step = 32;                                                   // words from one round to the next
  for (const auto& [least, more, distance, by_index] : {
           Sums{1, 9, 1, false},
           Sums{1, 9, 1, true},
           Sums{2, 1, 1, true},
           Sums{1, 9, 7, true},
           Sums{62, 5, 7, false},
           Sums{63, 2, 1, true},
           Sums{1, 99, 3, true},
           Sums{1, 140, 0, true},
       }) {
    SCOPED_TRACE(
        fmt::format("{} + {} rounds, {} words apart, by index: {}", least, more, distance, by_index));
    const std::string text =
        fmt::format(R"(.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b32 %r<16>; .reg .b64 %d<8>; .reg .pred %p<4>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d2, %r3, 64; add.s64 %d1, %d1, %d2;
mul.lo.u32 %r4, %r3, 5; rem.u32 %r4, %r4, {more}; add.u32 %r4, %r4, {least};
ld.global.u32 %r5, [%d0]; and.b32 %r5, %r5, 0; mad.lo.u32 %r5, %r0, {distance}, %r5;
mul.wide.s32 %d3, %r5, 4; add.s64 %d3, %d0, %d3; mov.u32 %r6, 0;
LOOP: {address} ld.global.u32 %r7, [{place}]; add.u32 %r6, %r6, %r7;
ld.global.u32 %r8, [{place} + 4]; add.u32 %r6, %r6, %r8;
add.s64 %d3, %d3, {step_bytes}; add.s32 %r5, %r5, {step};
sub.u32 %r4, %r4, 1; setp.ne.u32 %p0, %r4, 0; @%p0 bra LOOP;
st.global.u32 [%d1], %r6; st.global.u32 [%d1 + 4], %r5; ret;
}})",
                    fmt::arg("more", more), fmt::arg("least", least), fmt::arg("distance", distance),
                    fmt::arg("step", step), fmt::arg("step_bytes", 4 * step),
                    fmt::arg("address", by_index ? "mul.wide.s32 %d4, %r5, 4; add.s64 %d5, %d0, %d4;" : ""),
                    fmt::arg("place", by_index ? "%d5" : "%d3"));
    const Outcome3 o = expect_the_same(text, {3, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(o.whole);
    EXPECT_EQ(o.left, 0u);
    for (u32 k = 0; k < 3 * 64 && !HasFailure(); ++k) {
      const u32 rounds = least + k * 5 % more;
      u32 sum = 0;
      for (u32 n = 0; n < rounds; ++n) {
        const u32 at = k % 64 * distance + n * step;
        sum += input(at) + input(at + 1);
      }
      EXPECT_EQ(o.memory[k * kOutWords], sum);
      EXPECT_EQ(o.memory[k * kOutWords + 1], k % 64 * distance + rounds * step);
    }
  }
}

}  // namespace
}  // namespace ww::engine
