// Sums and products rounded otherwise than to nearest, beside what the host's arithmetic makes of them when
// it is told to round so.
#include "isa/lane_directed.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <random>

namespace ww::lane {
namespace {

struct Mode {
  Mod mode;
  int host;
};
constexpr Mode kModes[] = {{Mod::rz, FE_TOWARDZERO}, {Mod::rm, FE_DOWNWARD}, {Mod::rp, FE_UPWARD}};

/// Carries out f under a rounding mode of the host; the operands must not be known to the compiler.
template <class F, class... A>
f32 on_host(int mode, F f, A... a) {
  std::fesetround(mode);
  volatile f32 d = f(*const_cast<volatile A*>(&a)...);
  std::fesetround(FE_TONEAREST);
  return d;
}

/// Numbers of all sizes, near each other and far apart, zeros, subnormal ones, the largest ones and infinity.
class Numbers {
 public:
  f32 operator()() {
    switch (random_() % 8) {
      case 0:
        return std::bit_cast<f32>(u32(random_() & 0x807fffffu));  // subnormal
      case 1:
        return std::bit_cast<f32>(u32(random_() & 0x80000000u) | (random_() % 2 ? 0x7f7fffffu : 0x7f800000u));
      case 2:
        return static_cast<f32>(static_cast<int>(random_() % 17) - 8);
      case 3:
        return random_() % 2 ? 0.0f : -0.0f;
      case 4:
        return last_ = -last_;
      default:
        return last_ = std::bit_cast<f32>(u32(random_() & 0x83ffffffu) + 0x3e000000u);  // around 1
    }
  }

 private:
  std::mt19937 random_{7};
  f32 last_ = 1;
};

void expect_same(f32 got, f32 host, f32 a, f32 b, f32 c, int mode) {
  if (std::isnan(host))
    ASSERT_TRUE(std::isnan(got)) << a << " " << b << " " << c << " mode " << mode;
  else
    ASSERT_EQ(std::bit_cast<u32>(got), std::bit_cast<u32>(host))
        << a << " " << b << " " << c << " mode " << mode;
}

TEST(Directed, SumsProductsAndFusedSums) {
  Numbers number;
  for (int k = 0; k < 300000; ++k) {
    const f32 a = number(), b = number(), c = number();
    const auto [mode, host] = kModes[k % 3];
    const Rounding rnd{mode};
    expect_same(sum(a, b, rnd),
                on_host(
                    host, [](f32 x, f32 y) { return x + y; }, a, b),
                a, b, 0, host);
    expect_same(product(a, b, Ftz{false}, rnd),
                on_host(
                    host, [](f32 x, f32 y) { return x * y; }, a, b),
                a, b, 0, host);
    expect_same(fused(a, b, c, Ftz{false}, rnd),
                on_host(
                    host, [](f32 x, f32 y, f32 z) { return std::fma(x, y, z); }, a, b, c),
                a, b, c, host);
  }
}

}  // namespace
}  // namespace ww::lane
