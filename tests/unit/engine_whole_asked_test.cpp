// Whole-warp code for listeners that are asked before each access: what it finds out by itself, and of what
// they are told by the interpreter's handlers.
#include <cstdlib>

#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

/// The lanes, by block, warp and product, for which a sum of products does not fit; what the kernel below
/// computes is said here once more, in 64 bits.
std::string lanes_that_do_not_fit(u32 block, u32 warp, u32 product) {
  u32 lanes = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    const u32 tid = warp * kLanes + l, word = tid + block;
    const u32 input = word * 2654435761u >> (word % 29);  // run_with() fills the input so
    const bool even = product < 2, is_signed = product % 2 == 0;
    const u32 a = even ? tid : input, b = even ? block * 1299709u : tid * 7919u, c = even ? 0 - block : 11;
    const int64_t whole =
        int64_t{static_cast<int32_t>(a)} * static_cast<int32_t>(b) + static_cast<int32_t>(c);
    const u64 plain = u64{a} * b + c;
    const bool fits = (whole >= INT32_MIN && whole <= INT32_MAX) || (!is_signed && plain <= UINT32_MAX);
    lanes |= u32{!fits} << l;
  }
  return lanes ? fmt::format(" block {} warp {} lanes {:08x}", block, warp, lanes) : "";
}

/// Products that become addresses: grown evenly and not, widened with their sign and without.
TEST(WholeWarpsAsked, ProductsThatDoNotFit) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text = R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<12>; .reg .b64 %d<4>; .reg .pred %p0;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mul.lo.u32 %r2, %r1, 1299709; neg.s32 %r3, %r1;
setp.eq.u32 %p0, %r1, 77777;
mad.lo.s32 %r8, %r0, %r2, %r3; mul.wide.s32 %d2, %r8, 4; add.s64 %d3, %d0, %d2; @%p0 ld.global.u32 %r5, [%d3];
mad.lo.u32 %r9, %r0, %r2, %r3; mul.wide.u32 %d2, %r9, 4; add.s64 %d3, %d0, %d2; @%p0 ld.global.u32 %r5, [%d3];
add.u32 %r6, %r0, %r1; mul.wide.u32 %d2, %r6, 4; add.s64 %d3, %d0, %d2; ld.global.u32 %r6, [%d3];
mul.lo.u32 %r7, %r0, 7919;
mad.lo.s32 %r10, %r6, %r7, 11; mul.wide.s32 %d2, %r10, 4; add.s64 %d3, %d0, %d2; @%p0 ld.global.u32 %r5, [%d3];
mad.lo.u32 %r11, %r6, %r7, 11; mul.wide.u32 %d2, %r11, 4; add.s64 %d3, %d0, %d2; @%p0 ld.global.u32 %r5, [%d3];
ret;
})";
  constexpr u32 kBlocks = 60, kWarps = 4;
  const Outcome3 o = expect_the_same(text, {kBlocks, 1, 1}, {kWarps * kLanes, 1, 1}, true, Listens::Asked);
  EXPECT_TRUE(o.whole);
  std::vector<std::string> expected, heard;
  for (u32 block = 0; block < kBlocks; ++block)
    for (u32 warp = 0; warp < kWarps; ++warp)
      for (u32 product = 0; product < 4; ++product)
        if (std::string lanes = lanes_that_do_not_fit(block, warp, product); !lanes.empty())
          expected.push_back(std::move(lanes));
  for (const std::string& line : o.heard)
    if (line.starts_with("overflow")) heard.push_back(line.substr(line.find(" block")));
  EXPECT_EQ(heard, expected);
  EXPECT_GT(expected.size(), 100u);
}

/// Counts when it is told that the lanes of a warp meet.
struct CountsMeetings : events::Listener {
  u32 wants() const override { return events::kMemory | events::kWarpSyncs; }
  events::Registers registers() const override { return events::Registers::Never; }
  void warp_sync(int, const events::WarpSync&) override { ++meetings; }
  void warp_arrival(int, const events::WarpArrival&) override { ++arrivals; }
  u32 meetings = 0, arrivals = 0;
};

/// A warp that lacks no lane exchanges registers without telling anybody (it waits for its barrier, which
/// orders memory, aloud); the lanes of one that lacks some are told of.
TEST(WholeWarpsAsked, FullWarpsExchangeRegistersQuietly) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text = R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<6>; .reg .b64 %d<4>; .reg .pred %p<3>;
ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d2, %r0, 64; add.s64 %d1, %d1, %d2;
shfl.sync.down.b32 %r1|%p0, %r0, 2, 31, -1; setp.gt.u32 %p1, %r1, 7; vote.sync.ballot.b32 %r2, %p1, -1;
vote.sync.any.pred %p2, %p1, -1; selp.u32 %r3, %r2, %r1, %p2; bar.warp.sync -1;
st.global.u32 [%d1], %r3; ret;
})";
  const auto counted = [&](const char* back) {
    CountsMeetings counts;
    run_with(back, text, {1, 1, 1}, {80, 1, 1}, true, Listens::Not, &counts);
    return std::pair(counts.meetings, counts.arrivals);
  };
  EXPECT_EQ(counted("interpreter"), std::pair(12u, 12u));  // 3 warps, 4 times each
  EXPECT_EQ(counted("compiled"), std::pair(2 + 4u, 2 + 4u));
  expect_the_same(text, {3, 1, 1}, {80, 1, 1}, true, true);
}

}  // namespace
}  // namespace ww::engine
