// Half-precision arithmetic against exact integers: every result is rounded once, to nearest even.
#include "isa/lane_half.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace ww::lane {
namespace {

/// A finite number as sign · magnitude · 2^exponent.
struct Exact {
  bool negative;
  u128 magnitude;
  int exponent;
};

template <class H>
constexpr int kMantissa = std::is_same_v<H, f16> ? 10 : 7;
template <class H>
constexpr int kLowest = std::is_same_v<H, f16> ? -24 : -133;  // exponent of the smallest subnormal
template <class H>
constexpr u16 kInfinity = std::is_same_v<H, f16> ? 0x7c00 : 0x7f80;

template <class H>
bool finite(H v) {
  return (v.bits & kInfinity<H>) != kInfinity<H>;
}

template <class H>
Exact exact(H v) {
  int exponent = (v.bits & 0x7fff) >> kMantissa<H>;
  u32 fraction = v.bits & ((1u << kMantissa<H>)-1);
  return {v.bits >> 15 != 0, exponent ? fraction | 1u << kMantissa<H> : fraction,
          kLowest<H> + (exponent ? exponent - 1 : 0)};
}

Exact times(Exact a, Exact b) {
  return {a.negative != b.negative, a.magnitude * b.magnitude, a.exponent + b.exponent};
}

/// Exact where the exponents are near each other; else what is far below counts as one unit below every
/// rounding position.
Exact plus(Exact a, Exact b) {
  if (a.magnitude == 0) return b.magnitude == 0 ? Exact{a.negative && b.negative, 0, 0} : b;
  if (b.magnitude == 0) return a;
  if (a.exponent < b.exponent) std::swap(a, b);
  int shift = a.exponent - b.exponent;
  u128 low = b.magnitude;
  if (shift > 90) shift = 90, low = 1;
  u128 high = a.magnitude << shift;
  Exact r{a.negative, 0, a.exponent - shift};
  if (a.negative == b.negative)
    r.magnitude = high + low;
  else if (high >= low)
    r.magnitude = high - low;
  else
    r.magnitude = low - high, r.negative = b.negative;
  if (r.magnitude == 0) r.negative = false;
  return r;
}

template <class H>
u16 rounded(Exact v) {
  u16 sign = v.negative ? 0x8000 : 0;
  if (v.magnitude == 0) return sign;
  int top = 127 - (u64(v.magnitude >> 64) ? std::countl_zero(u64(v.magnitude >> 64))
                                          : 64 + std::countl_zero(u64(v.magnitude)));
  int unit = std::max(v.exponent + top - kMantissa<H>, kLowest<H>);  // exponent of the result's last bit
  int drop = unit - v.exponent;
  u128 kept = 0;
  if (drop <= 0)
    kept = v.magnitude << -drop;
  else if (drop < 127) {
    kept = v.magnitude >> drop;
    u128 rest = v.magnitude - (kept << drop), half = u128(1) << (drop - 1);
    if (rest > half || (rest == half && (kept & 1))) ++kept;
  }
  u64 bits =
      u64(kept) + (u64(unit - kLowest<H>) << kMantissa<H>);  // a carry goes into the exponent, as it should
  return u16(bits >= kInfinity<H> ? kInfinity<H> : bits) | sign;
}

template <class H>
class HalfArithmetic : public testing::Test {};
using Halves = testing::Types<f16, bf16>;
TYPED_TEST_SUITE(HalfArithmetic, Halves);

TYPED_TEST(HalfArithmetic, SumsProductsAndFusedAreRoundedOnce) {
  using H = TypeParam;
  const char* more = std::getenv("WW_HALF_CASES");
  long cases = more ? std::atol(more) : 400000;
  std::mt19937_64 random(3);
  HalfMods none{};
  for (long n = 0; n < cases; ++n) {
    u64 r = random();
    H a{u16(r)}, b{u16(r >> 16)}, c{u16(r >> 32)};
    if (r >> 63) {  // c near the product: cancellation and halfway cases
      f32 product = to_float(a) * to_float(b);
      c = finish_half<H>(r >> 62 & 1 ? -product : product * 0x1p-9f, none);
      c.bits = u16(c.bits + (r >> 48 & 7) - 3);
    }
    if (!finite(a) || !finite(b) || !finite(c)) continue;
    u16 sum = finish_half<H>(widen(a) + widen(b), none).bits,
        multiplied = finish_half<H>(lane::product(a, b), none).bits;
    ASSERT_EQ(sum, rounded<H>(plus(exact(a), exact(b)))) << std::hex << a.bits << " + " << b.bits;
    ASSERT_EQ(multiplied, rounded<H>(times(exact(a), exact(b)))) << std::hex << a.bits << " * " << b.bits;
    u16 fused = finish_half<H>(fused_half(a, b, c), none).bits;
    ASSERT_EQ(fused, rounded<H>(plus(times(exact(a), exact(b)), exact(c))))
        << std::hex << a.bits << " * " << b.bits << " + " << c.bits;
  }
}

}  // namespace
}  // namespace ww::lane
