// What threads know, against a plain table of all lanes.
#include "../long.h"
#include "checks/races/clock.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace ww::checks::races {
namespace {

TEST(RaceClock, EachLaneIsKnownByItself) {
  Clock c;
  c.add(Entry{3, 1, 0xffffffff, 10});
  for (u32 k = 0; k < 1000; ++k) c.add(Entry{3, 1, 0xffffffffu << (k % 32), 11 + k});  // groups that shrink
  // Lane l was last among the lanes of a group in the largest round below 1000 with l >= round % 32.
  EXPECT_TRUE(c.covers(3, 1, 31, 11 + 999));
  EXPECT_TRUE(c.covers(3, 1, 0, 11 + 992));
  EXPECT_FALSE(c.covers(3, 1, 0, 11 + 993));
  EXPECT_TRUE(c.covers(3, 1, 7, 11 + 999));
  EXPECT_FALSE(c.covers(3, 1, 6, 11 + 999));
  EXPECT_FALSE(c.covers(3, 2, 31, 1));
  EXPECT_FALSE(c.covers(4, 1, 31, 1));
}

TEST(RaceClock, TheWholeBlockStandsForItsWarps) {
  Clock c;
  for (u32 w = 0; w < 8; ++w) EXPECT_TRUE(c.add(Entry{0, w, 0xffffffff, 5}));
  EXPECT_TRUE(c.add(Entry{0, kAnyWarp, 0xffffffff, 6}));
  EXPECT_FALSE(c.add(Entry{0, 2, 1, 6}));
  EXPECT_TRUE(c.add(Entry{0, 2, 1, 7}));
  EXPECT_TRUE(c.covers(0, 2, 0, 7));
  EXPECT_FALSE(c.covers(0, 2, 1, 7));
}

TEST(RaceClock, GridsThatHaveEndedAreKnownWhole) {
  Clock c;
  EXPECT_TRUE(c.empty());
  EXPECT_FALSE(c.add(Span{5, 5}));
  EXPECT_TRUE(c.add(Span{10, 20}));
  EXPECT_FALSE(c.empty());
  EXPECT_FALSE(c.add(Span{12, 20}));
  for (const u32 block : {0u, 7u, 123456u}) {
    EXPECT_FALSE(c.covers(block, 3, 5, 10));
    EXPECT_TRUE(c.covers(block, 3, 5, 11));
    EXPECT_TRUE(c.covers(block, kLoneWarp, 0, 20));
    EXPECT_FALSE(c.covers(block, 3, 5, 21));
  }
  Clock d;
  EXPECT_TRUE(d.add(Entry{2, 0, 1, 30}));
  EXPECT_FALSE(d.includes(c));
  EXPECT_TRUE(d.join(c));
  EXPECT_FALSE(d.join(c));
  EXPECT_TRUE(d.includes(c));
  EXPECT_FALSE(c.includes(d));
  EXPECT_TRUE(d.covers(2, 0, 0, 30));
  EXPECT_TRUE(d.without(2).covers(9, 0, 0, 20));
  EXPECT_FALSE(d.without(2).covers(2, 0, 0, 30));
  // Those that touch or overlap become one, others stay apart.
  EXPECT_TRUE(d.add(Span{40, 50}));
  EXPECT_FALSE(d.covers(0, 0, 0, 35));
  EXPECT_TRUE(d.add(Span{20, 40}));
  EXPECT_TRUE(d.covers(0, 0, 0, 35));
  Clock whole;
  EXPECT_TRUE(whole.add(Span{10, 50}));
  EXPECT_TRUE(d.includes(whole));
  EXPECT_FALSE(whole.join(c));
}

TEST(RaceClock, WhoAcquiredBeforeDoesNotKnowLaterReleases) {
  Log log(1);
  Clock all;
  for (u32 w = 0; w < 16; ++w) all.add(Entry{0, w, 0xffffffff, 100 + w});
  for (u32 k = 0; k < 100; ++k) log.append(all);
  const Clock early = log.all();
  log.append(Entry{0, 3, 0xff, 150});  // newer for eight lanes
  log.append(Entry{0, 3, 0xf, 120});   // older than that
  EXPECT_TRUE(log.all().covers(0, 3, 7, 150));
  EXPECT_FALSE(log.all().covers(0, 3, 8, 150));
  EXPECT_FALSE(early.covers(0, 3, 7, 150));
  EXPECT_TRUE(early.covers(0, 3, 8, 103));
  EXPECT_TRUE(log.all().surely_includes(early));
  EXPECT_FALSE(early.includes(log.all()));
  // What is left out is not known, though it comes from a later time of the log.
  const Clock rest = log.all().without(0);
  EXPECT_FALSE(rest.includes(early));
}

/// The same as a table.
struct Plain {
  std::map<std::tuple<u32, u32, u32>, Segment> lanes;
  void add(const Entry& e) {
    for (u32 warp = 0; warp < 5; ++warp)  // the last only with all others
      for (u32 lane = 0; lane < 32; ++lane)
        if ((e.warp == kAnyWarp || e.warp == warp) && (e.lanes >> lane & 1)) {
          Segment& s = lanes[{e.block, warp, lane}];
          s = std::max(s, e.until);
        }
  }
  void join(const Plain& o) {
    for (const auto& [lane, s] : o.lanes) lanes[lane] = std::max(lanes[lane], s);
  }
  bool includes(const Plain& o) const {
    for (const auto& [lane, s] : o.lanes) {
      const auto at = lanes.find(lane);
      if (at == lanes.end() || at->second < s) return false;
    }
    return true;
  }
  void leave_out(u32 block) {
    std::erase_if(lanes, [&](const auto& x) { return std::get<0>(x.first) == block; });
  }
};

TEST(RaceClock, IsAsATableOfAllLanes) {
  std::mt19937 random(7);
  const auto below = [&](u32 n) { return static_cast<u32>(random() % n); };
  constexpr u32 kBlocks[] = {0, 1, 15, 16, 17, 300, 70000};
  std::vector<Clock> clocks(6);
  std::vector<Plain> plain(6);
  Log log(1);
  Plain logged;
  for (u32 round = 1; round < (all_are_tried() ? 2000 : 700); ++round) {
    const u32 a = below(6), b = below(6), block = kBlocks[below(7)];
    const Entry e{block, below(5) ? below(4) : kAnyWarp, below(3) ? 1u << below(32) : ~0u, 1 + below(round)};
    bool changed = false;
    const Plain before = plain[a];
    switch (below(8)) {
      case 0:
      case 1:
      case 2: {
        Entry whole = e;
        if (e.warp == kAnyWarp) whole.lanes = ~0u;
        changed = clocks[a].add(whole), plain[a].add(whole);
        break;
      }
      case 3:
        changed = clocks[a].join(clocks[b]), plain[a].join(plain[b]);
        break;
      case 4:
        changed = clocks[a].join(log.all()), plain[a].join(logged);
        break;
      case 5:
        log.append(clocks[a]), logged.join(plain[a]);
        break;
      case 6:
        clocks[a] = clocks[a].without(block), plain[a].leave_out(block);
        changed = !plain[a].includes(before);
        break;
      default:
        if (below(20) == 0) clocks[a] = {}, plain[a] = {}, changed = !before.lanes.empty();
        break;
    }
    ASSERT_EQ(changed, !before.includes(plain[a]) || !plain[a].includes(before)) << round;
    ASSERT_EQ(clocks[a].includes(clocks[b]), plain[a].includes(plain[b])) << round;
    ASSERT_EQ(clocks[a].includes(log.all()), plain[a].includes(logged)) << round;
    ASSERT_TRUE(!clocks[a].surely_includes(log.all()) || plain[a].includes(logged)) << round;
    ASSERT_EQ(clocks[a].empty(), plain[a].lanes.empty()) << round;
    const u32 warp = below(4), lane = below(32);
    const auto at = plain[a].lanes.find({block, warp, lane});
    const Segment s = at == plain[a].lanes.end() ? 0 : at->second;
    ASSERT_TRUE(s == 0 || clocks[a].covers(block, warp, lane, s)) << round;
    ASSERT_FALSE(clocks[a].covers(block, warp, lane, s + 1)) << round;
  }
}

}  // namespace
}  // namespace ww::checks::races
