// Quotients of integers up to 32 bits, which are computed by float64, beside those of 64-bit integers.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "isa/lane_integer.h"

namespace ww::lane {
namespace {

template <class T>
void expect_exact(T a, T b) {
  if (b == 0) {  // as on an H200: data/measured/h200-ptx/division_by_zero.csv
    ASSERT_EQ(divide(a, b), T(~T(0))) << s64{a};
    ASSERT_EQ(remainder_of(a, b), T(~T(0))) << s64{a};
    return;
  }
  ASSERT_EQ(divide(a, b), T(s64{a} / s64{b})) << s64{a} << " / " << s64{b};
  ASSERT_EQ(remainder_of(a, b), T(s64{a} % s64{b})) << s64{a} << " % " << s64{b};
}

/// Powers of two and numbers beside them, and dividends that are just not multiples.
template <class T>
void expect_exact_quotients() {
  constexpr int kBits = 8 * sizeof(T);
  std::vector<T> some{0, 1, 2, 3, 5, 7, 10, 100, T(-1), T(-2), T(-3), T(-7)};
  for (int k = 1; k < kBits; ++k)
    for (int by : {-1, 0, 1}) some.push_back(T((u64{1} << k) + static_cast<u64>(by)));
  for (T a : some)
    for (T b : some) expect_exact(a, b);
  std::mt19937_64 random(1);
  for (int k = 0; k < 500'000 && !testing::Test::HasFatalFailure(); ++k) {
    const T b = T(random() >> random() % kBits), q = T(random() >> random() % kBits);
    for (int by : {-1, 0, 1}) expect_exact(T(u64(q) * u64(b) + static_cast<u64>(by)), b);
    expect_exact(T(random()), b);
  }
}

TEST(Division, Of32Bits) { expect_exact_quotients<s32>(), expect_exact_quotients<u32>(); }
TEST(Division, Of16Bits) { expect_exact_quotients<s16>(), expect_exact_quotients<u16>(); }

}  // namespace
}  // namespace ww::lane
