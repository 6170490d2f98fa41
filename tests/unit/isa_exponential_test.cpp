// Powers and logarithms of 2 beside those of long double.
#include "isa/lane_exponential.h"

#include <gtest/gtest.h>

#include <random>

namespace ww::lane {
namespace {

constexpr long double kPowerBound = 0x1p-45L, kBound = 0x1p-50L;

void expect_power(f64 x) {
  const long double right = std::exp2(static_cast<long double>(x));
  ASSERT_LE(std::fabs(power_of_2(x) - right), kPowerBound * right) << x;
}
void expect_logarithm(f32 x) {
  const long double right = std::log2(static_cast<long double>(x));
  ASSERT_LE(std::fabs(logarithm_of_2(f64(x)) - right), kBound * std::fabs(right)) << x;
}

TEST(Exponential, PowersOf2) {
  for (int n = -160; n <= 140; ++n) EXPECT_EQ(power_of_2(n), std::ldexp(1.0, n));
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-150, 130), small(-1, 1);
  for (int k = 0; k < 200000; ++k) expect_power(exponent(random)), expect_power(small(random) * 1e-3);
  EXPECT_EQ(f32(power_of_2(1e30)), std::numeric_limits<f32>::infinity());
  EXPECT_EQ(f32(power_of_2(-1e30)), 0.0f);
  EXPECT_EQ(f32(power_of_2(-std::numeric_limits<f64>::infinity())), 0.0f);
  EXPECT_TRUE(std::isnan(power_of_2(std::numeric_limits<f64>::quiet_NaN())));
}

TEST(Exponential, LogarithmsOf2) {
  for (int n = -149; n <= 127; ++n) EXPECT_EQ(logarithm_of_2(std::ldexp(1.0, n)), n);
  std::mt19937 random(1);
  for (int k = 0; k < 200000; ++k) {
    const f32 x = std::bit_cast<f32>(u32(random() & 0x7fffffff));
    if (std::isfinite(x) && x > 0) expect_logarithm(x);
    expect_logarithm(std::bit_cast<f32>((0x3f800000u + u32(random() % 4096) - 2048) | 1u));
  }
  EXPECT_EQ(logarithm_of_2(0), -std::numeric_limits<f64>::infinity());
  EXPECT_EQ(logarithm_of_2(-0.0), -std::numeric_limits<f64>::infinity());
  EXPECT_EQ(logarithm_of_2(std::numeric_limits<f64>::infinity()), std::numeric_limits<f64>::infinity());
  EXPECT_TRUE(std::isnan(logarithm_of_2(-1)));
  EXPECT_TRUE(std::isnan(logarithm_of_2(std::numeric_limits<f64>::quiet_NaN())));
}

}  // namespace
}  // namespace ww::lane
