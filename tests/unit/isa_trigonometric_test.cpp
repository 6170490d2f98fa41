// Sines, cosines and hyperbolic tangents beside those of long double.
#include "isa/lane_trigonometric.h"

#include <gtest/gtest.h>

#include <random>

namespace ww::lane {
namespace {

using Long = long double;

void expect_near(f64 got, Long right, Long bound, f32 x) { ASSERT_LE(std::fabs(got - right), bound) << x; }

void expect_turns(f32 x) {
  const Long s = std::sin(Long(x)), c = std::cos(Long(x));
  expect_near(sine(f64(x)), s, 0x1p-52L, x);
  expect_near(cosine(f64(x)), c, 0x1p-52L, x);
  if (std::fabs(x) > 3.1415927f) return;
  expect_near(sine(f64(x)), s, 0x1p-49L * std::fabs(s), x);
  expect_near(cosine(f64(x)), c, 0x1p-49L * std::fabs(c), x);
}

TEST(Trigonometric, SinesAndCosines) {
  std::mt19937 random(1);
  std::uniform_real_distribution<f32> turn(-3.2f, 3.2f), some(-1000, 1000);
  for (int k = 0; k < 200000 && !HasFatalFailure(); ++k) {
    expect_turns(turn(random)), expect_turns(some(random)), expect_turns(turn(random) * 1e-4f);
    const f32 any = std::bit_cast<f32>(static_cast<u32>(random()));
    if (std::isfinite(any)) expect_turns(any);
  }
  for (int n = -149; n <= 127; ++n) expect_turns(std::ldexp(1.0f, n)), expect_turns(-std::ldexp(1.0f, n));
  // The f32 nearest to multiples of a quarter turn, and the one that is nearest of all (J.-M. Muller,
  // Elementary Functions, on range reduction).
  for (int n = 1; n < 100000; ++n) expect_turns(static_cast<f32>(n * 1.5707963267948966));
  expect_turns(16367173.0f * 0x1p+72f);
  expect_turns(std::numeric_limits<f32>::max());
}

TEST(Trigonometric, WhatIsNoAngle) {
  const f64 infinity = std::numeric_limits<f64>::infinity(), nan = std::numeric_limits<f64>::quiet_NaN();
  for (const f64 x : {infinity, -infinity, nan})
    EXPECT_TRUE(std::isnan(sine(x)) && std::isnan(cosine(x))) << x;
  EXPECT_EQ(std::bit_cast<u64>(sine(-0.0)), std::bit_cast<u64>(-0.0));
  EXPECT_EQ(std::bit_cast<u64>(sine(0.0)), 0u);
  EXPECT_EQ(cosine(-0.0), 1);
}

TEST(Trigonometric, HyperbolicTangents) {
  std::mt19937 random(1);
  std::uniform_real_distribution<f32> some(-12, 12), small(-0.1f, 0.1f);
  const auto expect = [](f32 x) {
    const Long right = std::tanh(Long(x));
    expect_near(hyperbolic_tangent(f64(x)), right, 0x1p-41L * std::fabs(right), x);
  };
  for (int k = 0; k < 200000 && !HasFatalFailure(); ++k) {
    expect(some(random)), expect(small(random));
    const f32 any = std::bit_cast<f32>(static_cast<u32>(random()));
    if (any == any) expect(any);
  }
  EXPECT_EQ(std::bit_cast<u64>(hyperbolic_tangent(-0.0)), std::bit_cast<u64>(-0.0));
  EXPECT_EQ(hyperbolic_tangent(-std::numeric_limits<f64>::infinity()), -1);
  EXPECT_TRUE(std::isnan(hyperbolic_tangent(std::numeric_limits<f64>::quiet_NaN())));
}

}  // namespace
}  // namespace ww::lane
