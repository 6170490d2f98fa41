// How far loads have to go: requests under way, and loads that are waited for together.
#include <gtest/gtest.h>

#include <cmath>

#include "caches/hierarchy.h"

namespace ww::caches {
namespace {

TEST(Waits, AGroupWaitsForItsFarthest) {
  WaitCounts counts;
  WarpWaits warp;
  for (Level level :
       {Level::L1, Level::Dram, Level::L1, Level::L2, Level::L1, Level::L1, Level::L1, Level::L1})
    warp.add(level, counts);
  EXPECT_EQ(counts.groups, (WaitCounts::Numbers{8, 4, 2, 1, 0, 0, 0}));
  EXPECT_EQ(counts.past_l1, (WaitCounts::Numbers{2, 2, 1, 1, 0, 0, 0}));
  EXPECT_EQ(counts.past_l2, (WaitCounts::Numbers{1, 1, 1, 1, 0, 0, 0}));
  EXPECT_DOUBLE_EQ(counts.shares(1).past_l1, 2.0 / 8);
  EXPECT_DOUBLE_EQ(counts.shares(4).past_l1, 1.0 / 2);
  EXPECT_DOUBLE_EQ(counts.shares(std::sqrt(8)).past_l1,
                   1.0 / 2);                       // halfway between two and four: both a half
  EXPECT_DOUBLE_EQ(counts.shares(64).past_l2, 1);  // there was no larger group than eight
  EXPECT_DOUBLE_EQ(WaitCounts{}.shares(4).past_l1, 0);
}

// Four misses: in a row they make one group of four wait, spread they make four.
TEST(Waits, MissesInCompanyMakeFewGroupsWait) {
  WaitCounts together, spread;
  WarpWaits a, b;
  for (int k = 0; k < 16; ++k) {
    a.add(k < 4 ? Level::L2 : Level::L1, together);
    b.add(k % 4 == 0 ? Level::L2 : Level::L1, spread);
  }
  EXPECT_DOUBLE_EQ(together.shares(4).past_l1, 0.25);
  EXPECT_DOUBLE_EQ(spread.shares(4).past_l1, 1);
  EXPECT_DOUBLE_EQ(together.shares(1).past_l1, spread.shares(1).past_l1);
}

// What a warp asks for while it is on its way for another comes no sooner.
TEST(Waits, WhatIsUnderWayIsWaitedFor) {
  CacheSetup s;
  s.sms = 2;
  s.l1_bytes = 1 << 14, s.l2_bytes = 1 << 20;
  s.l1_global = true;
  s.pace.l1 = 30, s.pace.l2 = 200, s.pace.dram = 600;
  using Kind = Hierarchy::Kind;
  Hierarchy h(s);
  const auto level = [&](u32 sm, u64 line, double at) {
    return h.access(sm, Kind::Load, line, 0b1, at).level;
  };
  EXPECT_EQ(level(0, 7, 0), Level::Dram);
  EXPECT_EQ(level(0, 7, 160), Level::Dram);  // another warp of the SM: L1 does not have it yet
  EXPECT_EQ(level(1, 7, 320), Level::Dram);  // another SM: DRAM is read once
  EXPECT_EQ(level(0, 7, 640), Level::L1);    // it has come
  EXPECT_EQ(level(1, 7, 960), Level::L1);
  EXPECT_EQ(h.counts().dram_reads, 1u);
  EXPECT_EQ(level(0, 8, 1600), Level::Dram);
  EXPECT_EQ(level(1, 8, 3200), Level::L2);
  EXPECT_EQ(level(1, 8, 3264), Level::L2);  // on its way from there
  EXPECT_EQ(level(1, 8, 3408), Level::L1);
}

}  // namespace
}  // namespace ww::caches
