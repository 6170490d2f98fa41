#include "device/timing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ww::device {

TEST(Quantile, IsNumPysDefault) {
  // numpy.quantile([1, 2, 4, 8], [0, .25, .5, .75, 1])
  std::vector<double> samples{8, 1, 4, 2};
  EXPECT_DOUBLE_EQ(quantile(samples, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.75), 5);
  EXPECT_DOUBLE_EQ(quantile(samples, 1), 8);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

TEST(Repeats, StopWhenTheSpreadIsSmall) {
  Repeats repeats({.min_repeats = 3, .max_repeats = 50, .enough_spread = 0.02, .max_seconds = 100});
  for (double ms : {1.0, 2.0, 3.0}) {
    EXPECT_FALSE(repeats.enough());
    repeats.add(ms);
  }
  EXPECT_DOUBLE_EQ(repeats.spread(), 0.5);  // quartiles 1.5 and 2.5, median 2
  EXPECT_FALSE(repeats.enough());
  for (int i = 0; i < 6; ++i) repeats.add(2);
  EXPECT_TRUE(repeats.enough());
  Timing timing = repeats.timing();
  EXPECT_EQ(timing.repeats, 9);
  EXPECT_EQ(timing.median_ms, 2);
  EXPECT_EQ(timing.min_ms, 1);
  EXPECT_EQ(timing.max_ms, 3);
  EXPECT_EQ(timing.values.back().text(), "spread reached");
}

TEST(Repeats, StopAtTheLimits) {
  TimingOptions options{.min_repeats = 2, .max_repeats = 4, .enough_spread = 0, .max_seconds = 1};
  Repeats many(options), slow(options);
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(many.enough());
    many.add(1 + i);
  }
  EXPECT_TRUE(many.enough());
  EXPECT_EQ(many.timing().values.back().text(), "repeat limit");
  slow.add(5000);
  EXPECT_FALSE(slow.enough());  // one is less than min_repeats
  slow.add(5000);
  EXPECT_TRUE(slow.enough());
  EXPECT_EQ(slow.timing().values.back().text(), "time limit");
}

}  // namespace ww::device
