// Powers and logarithms of 2 for f32 lanes, in double arithmetic without calls, so
// that lanes are computed side by side. Belongs to isa/lane.h, which says how this code is compiled.
#pragma once

#include "isa/lane.h"

namespace ww::lane {
namespace {

/// 2^x. |error| < 2^-45 of the result, so that rounding it to f32 gives what rounding the exact value does,
/// but for about one argument in 2^23.
WW_INLINE f64 power_of_2(f64 x) {
  // Beyond this an f32 is 0 or infinite. (A NaN passes.)
  const f64 y = x > 1000 ? 1000 : x < -1000 ? -1000 : x;
  // The nearest integer n stands in the low bits of this sum; 2^x = 2^n · 2^(x - n), |x - n| <= 1/2.
  constexpr f64 kShift = 0x1.8p52;
  const f64 shifted = y + kShift;
  const f64 r = y - (shifted - kShift);
  // The polynomial 1 + c1 r + … + c9 r^9 with the least largest relative error there, by Lawson's algorithm.
  // (Fused operations by name: the same bits on every processor.)
  f64 sum = 0x1.b3e402c8a8p-24;
  sum = std::fma(sum, r, 0x1.63e6a5ecb14p-20);
  sum = std::fma(sum, r, 0x1.ffce2989d1cp-17);
  sum = std::fma(sum, r, 0x1.430897e62964p-13);
  sum = std::fma(sum, r, 0x1.5d87fd95cac7p-10);
  sum = std::fma(sum, r, 0x1.3b2ab72418ep-7);
  sum = std::fma(sum, r, 0x1.c6b08d70c73dp-5);
  sum = std::fma(sum, r, 0x1.ebfbdff81bdcep-3);
  sum = std::fma(sum, r, 0x1.62e42fefa37e2p-1);
  sum = std::fma(sum, r, 1);
  const f64 scale = std::bit_cast<f64>((std::bit_cast<u64>(shifted) + 1023) << 52);
  return sum * scale;
}

/// log2(x) of an x that was an f32. |error| < 2^-50 of the result, and the same said of rounding.
WW_INLINE f64 logarithm_of_2(f64 x) {
  // x = 2^e · m with m in [sqrt(1/2), sqrt(2)).
  constexpr u64 kRoot = 0x3fe6a09e667f3bcd;  // sqrt(1/2)
  const u64 bits = std::bit_cast<u64>(x), above = bits - kRoot;
  const auto e = static_cast<f64>(static_cast<int32_t>(static_cast<int64_t>(above) >> 52));
  const f64 m = std::bit_cast<f64>((above & 0x000fffffffffffff) + kRoot);
  // log2(m) = 2 / ln 2 · artanh(f), f = (m - 1) / (m + 1), |f| < 0.1716.
  const f64 f = (m - 1) / (m + 1), q = f * f;
  f64 sum = 1.0 / 23;
  sum = std::fma(sum, q, 1.0 / 21);
  sum = std::fma(sum, q, 1.0 / 19);
  sum = std::fma(sum, q, 1.0 / 17);
  sum = std::fma(sum, q, 1.0 / 15);
  sum = std::fma(sum, q, 1.0 / 13);
  sum = std::fma(sum, q, 1.0 / 11);
  sum = std::fma(sum, q, 1.0 / 9);
  sum = std::fma(sum, q, 1.0 / 7);
  sum = std::fma(sum, q, 1.0 / 5);
  sum = std::fma(sum, q, 1.0 / 3);
  const f64 small = std::fma(sum, q, 1) * f * 0x1.71547652b82fep+1;
  f64 result = e + small;
  constexpr f64 kInfinity = std::numeric_limits<f64>::infinity();
  result = x == 0 ? -kInfinity : x < 0 ? std::numeric_limits<f64>::quiet_NaN() : result;
  return x == kInfinity || x != x ? x : result;
}

}  // namespace
}  // namespace ww::lane
