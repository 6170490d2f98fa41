// Kendall's tau-b against hand computation.
#include "study/rank.h"

#include <gtest/gtest.h>

#include <vector>

namespace ww::study {
namespace {

using Pairs = std::vector<std::pair<double, double>>;

TEST(Rank, ByHand) {
  EXPECT_DOUBLE_EQ(kendall_tau(Pairs{{1, 10}, {2, 20}, {3, 30}}), 1);
  EXPECT_DOUBLE_EQ(kendall_tau(Pairs{{1, 30}, {2, 20}, {3, 10}}), -1);
  EXPECT_DOUBLE_EQ(kendall_tau(Pairs{{1, 1}, {2, 3}, {3, 2}, {4, 4}}),
                   4.0 / 6);  // one of six pairs is the other way round
  // Four pairs agree, one is equal on each side: 4 / sqrt(5 · 5).
  EXPECT_DOUBLE_EQ(kendall_tau(Pairs{{1, 1}, {2, 2}, {2, 3}, {3, 3}}), 0.8);
  EXPECT_DOUBLE_EQ(kendall_tau(Pairs{{1, 1}}), 1);
}

}  // namespace
}  // namespace ww::study
