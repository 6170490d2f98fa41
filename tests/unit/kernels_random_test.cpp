#include "kernels/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ww::kernels {
namespace {

// From an independent implementation in Python, whose mixing function was checked against the published first
// output of SplitMix64 for seed 1234567 (6457827717110365317).
TEST(Random, KnownValues) {
  const struct {
    uint64_t seed, stream, index;
    float value;
  } kKnown[] = {
      {1, 0, 0, -0x1.1b0d86p-3f},          {1, 0, 1, -0x1.ee0fd0p+1f},
      {1, 1, 0, -0x1.5af03ap-5f},          {2, 0, 0, 0x1.ebd92ap-5f},
      {0, 0, 0, 0x1.f97d22p-4f},           {42, 3, uint64_t{1} << 40, 0x1.af789cp-5f},
      {UINT64_MAX, 1, 7, -0x1.7391eep-6f},
  };
  for (const auto& k : kKnown) EXPECT_EQ(random_value(k.seed, k.stream, k.index), k.value);
}

TEST(Random, FillIsTheSameFromAnyStart) {
  std::vector<float> all(1000), part(10);
  fill_random(5, 2, 0, all);
  fill_random(5, 2, 990, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 990));
  EXPECT_EQ(all[17], random_value(5, 2, 17));
}

TEST(Random, SpreadOverSignAndSizeNeverZero) {
  std::vector<float> v(100000);
  fill_random(1, 0, 0, v);
  int negative = 0, by_exponent[8] = {};
  for (float x : v) {
    ASSERT_GE(std::abs(x), 0x1p-6f);
    ASSERT_LT(std::abs(x), 4.0f);
    negative += x < 0;
    ++by_exponent[std::ilogb(x) + 6];
  }
  // Six standard deviations of the binomial distributions.
  EXPECT_NEAR(negative, 50000, 6 * std::sqrt(100000 / 4.0));
  for (int count : by_exponent) EXPECT_NEAR(count, 12500, 6 * std::sqrt(100000 * 7 / 64.0));
}

}  // namespace
}  // namespace ww::kernels
