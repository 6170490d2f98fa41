#include "watch/steps.h"

#include <gtest/gtest.h>

namespace ww::watch {
namespace {

/// A launch of warps that go through these sites, all in one phase.
Launch laid(const std::vector<std::vector<u32>>& warps, u32 sites, u32 phase = 0) {
  Launch launch;
  launch.sites.resize(sites);
  std::vector<std::pair<u32, u32>> places;
  for (u32 w = 0; w < warps.size(); ++w)
    for (u32 site : warps[w]) {
      launch.events.push_back({0, 0, w, 0, places.size(), 1});
      places.push_back({phase, site});
    }
  align(launch, places);
  return launch;
}

std::vector<u32> sites_of(const Launch& launch) {
  std::vector<u32> out;
  for (const Step& s : launch.steps) out.push_back(s.site);
  return out;
}

/// The steps of a warp, in the order in which it ran.
std::vector<u32> steps_of(const Launch& launch, u32 warp) {
  std::vector<std::pair<u64, u32>> ran;
  for (const Event& e : launch.events)
    if (e.warp == warp) ran.push_back({e.first, e.step});
  std::sort(ran.begin(), ran.end());
  std::vector<u32> out;
  for (const auto& [when, step] : ran) out.push_back(step);
  return out;
}

using Steps32 = std::vector<u32>;

TEST(Steps, OfWarpsThatDoAlikeAreTheSame) {
  const Launch l = laid({{0, 1, 0, 1}, {0, 1, 0, 1}}, 2);
  EXPECT_EQ(sites_of(l), (Steps32{0, 1, 0, 1}));
  EXPECT_EQ(l.steps[2].nth, 1u);
  EXPECT_EQ(steps_of(l, 0), (Steps32{0, 1, 2, 3}));
  EXPECT_EQ(steps_of(l, 1), (Steps32{0, 1, 2, 3}));
}

TEST(Steps, WhatOnlySomeWarpsDoStandsBetween) {
  const Launch l = laid({{0, 2, 3}, {0, 1, 2, 3}, {3}, {4}}, 5);
  EXPECT_EQ(sites_of(l), (Steps32{4, 0, 1, 2, 3}));
  EXPECT_EQ(steps_of(l, 0), (Steps32{1, 3, 4}));
  EXPECT_EQ(steps_of(l, 1), (Steps32{1, 2, 3, 4}));
  EXPECT_EQ(steps_of(l, 2), (Steps32{4}));
  EXPECT_EQ(steps_of(l, 3), (Steps32{0}));
}

TEST(Steps, KeepEachWarpsOrder) {
  // The second warp does the same the other way round: it cannot share both steps.
  const Launch l = laid({{0, 1}, {1, 0}}, 2);
  EXPECT_EQ(l.steps.size(), 3u);
  EXPECT_EQ(steps_of(l, 0), (Steps32{0, 1}));
  const Steps32 other = steps_of(l, 1);
  EXPECT_LT(other[0], other[1]);
  EXPECT_EQ(other[0], 1u);
}

TEST(Steps, PhasesFollowOneAnother) {
  Launch launch;
  launch.sites.resize(2);
  // One warp: site 0, a barrier, site 0. Another, that ran first: the same.
  for (u32 w : {1u, 0u})
    for (u32 k = 0; k < 2; ++k) launch.events.push_back({0, 0, w, 0, 0, 1});
  align(launch, {{0, 0}, {1, 0}, {0, 0}, {1, 0}});
  ASSERT_EQ(launch.steps, (std::vector<Step>{{0, 0, 0}, {0, 1, 0}}));
  for (u32 k = 0; k < 4; ++k) {
    EXPECT_EQ(launch.events[k].step, k / 2);
    EXPECT_EQ(launch.events[k].warp, k % 2);
  }
}

TEST(Steps, SitesWithoutEventsGo) {
  Launch l = laid({{1, 3}}, 4);
  for (u32 k = 0; k < 4; ++k) l.sites[k].line = static_cast<int>(k);
  keep_used_sites(l);
  ASSERT_EQ(l.sites.size(), 2u);
  EXPECT_EQ(l.sites[0].line, 1);
  EXPECT_EQ(l.sites[1].line, 3);
  EXPECT_EQ(sites_of(l), (Steps32{0, 1}));
}

}  // namespace
}  // namespace ww::watch
