// Sine, cosine and hyperbolic tangent for f32 lanes, in double arithmetic without calls or tables, so that
// lanes are computed side by side. Belongs to isa/lane.h, which says how this code is compiled.
#pragma once

#include "isa/lane_exponential.h"

namespace ww::lane {
namespace {

/// A part of a turn, -1/8 to 1/8, beside a whole number of quarters (its low two bits count).
struct Turn {
  f64 part;
  u64 quarters;
};

/// x / (2π) without whole turns, of an x that was a finite f32. |error of the part| < 2^-55, and below 2^-50
/// of itself where |x| <= π.
WW_INLINE Turn turn_of(f64 x) {
  // x = a · 2^e, where a has 24 bits and is an integer unless e is 0.
  const u64 bits = std::bit_cast<u64>(x), exponent = bits >> 52 & 0x7ff;
  const u64 e = exponent > 1046 ? exponent - 1046 : 0;
  const f64 a = std::bit_cast<f64>(bits - (e << 52));
  // Of the binary digits of 1/(2π) the first e only make whole turns; the next 29 and the 52 behind them are
  // taken, so that the first product is exact.
  constexpr u64 kDigits[] = {0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410, 0x7f9458eaf7aef158};
  const bool further = e >= 64;
  const u64 by = e & 63;
  const auto from = [&](u64 one, u64 other) { return one << by | other >> 1 >> (63 - by); };
  const u64 next = further ? kDigits[2] : kDigits[1];
  const u64 high = from(further ? kDigits[1] : kDigits[0], next);
  const u64 low = from(next, further ? kDigits[3] : kDigits[2]);
  const auto number = [](u64 v) { return std::bit_cast<f64>(v | 0x4330000000000000) - 0x1p52; };
  const f64 first = number(high >> 35) * 0x1p-29, second = number((high << 29 | low >> 35) >> 12) * 0x1p-81;
  constexpr f64 kShift = 0x1.8p52;  // the nearest integer stands in the low bits of a sum with it
  f64 part = a * first;
  part -= (part + kShift) - kShift;
  const f64 rest = a * second;
  const f64 shifted = 4 * (part + rest) + kShift;
  return {(part - 0.25 * (shifted - kShift)) + rest, std::bit_cast<u64>(shifted)};
}

/// The sine so many quarters further. Taylor's series: the first terms left out are below 2^-53 of the sum.
WW_INLINE f64 sine_of(Turn turn) {
  const f64 v = turn.part * 0x1.921fb54442d18p+2, q = v * v;
  f64 sine = -1.0 / 1307674368000;
  sine = std::fma(sine, q, 1.0 / 6227020800);
  sine = std::fma(sine, q, -1.0 / 39916800);
  sine = std::fma(sine, q, 1.0 / 362880);
  sine = std::fma(sine, q, -1.0 / 5040);
  sine = std::fma(sine, q, 1.0 / 120);
  sine = std::fma(sine, q, -1.0 / 6);
  sine = std::fma(sine * q, v, v);
  f64 cosine = 1.0 / 20922789888000;
  cosine = std::fma(cosine, q, -1.0 / 87178291200);
  cosine = std::fma(cosine, q, 1.0 / 479001600);
  cosine = std::fma(cosine, q, -1.0 / 3628800);
  cosine = std::fma(cosine, q, 1.0 / 40320);
  cosine = std::fma(cosine, q, -1.0 / 720);
  cosine = std::fma(cosine, q, 1.0 / 24);
  cosine = std::fma(cosine, q, -0.5);
  cosine = std::fma(cosine, q, 1);
  const f64 magnitude = turn.quarters & 1 ? cosine : sine;
  return turn.quarters & 2 ? -magnitude : magnitude;
}

/// sin(x) of an x that was an f32. |error| < 2^-52, and below 2^-49 of the result where |x| <= π (as tested):
/// rounding to f32 gives what rounding the exact value does, but for about one argument in 2^24.
WW_INLINE f64 sine(f64 x) {
  const f64 v = sine_of(turn_of(x));
  return x == 0 ? x : x - x != 0 ? std::numeric_limits<f64>::quiet_NaN() : v;
}

/// cos(x), the same.
WW_INLINE f64 cosine(f64 x) {
  Turn turn = turn_of(x);
  ++turn.quarters;
  return x - x != 0 ? std::numeric_limits<f64>::quiet_NaN() : sine_of(turn);
}

/// tanh(x). |error| < 2^-41 of the result.
WW_INLINE f64 hyperbolic_tangent(f64 x) {
  // 1 - 2 / (e^(2|x|) + 1), and for what is near 0, where that has lost its bits, the first terms of the
  // series.
  const f64 v = std::fabs(x), q = x * x;
  const f64 far = 1 - 2 / (power_of_2(v * 0x1.71547652b82fep+1) + 1);
  f64 near = 62.0 / 2835;
  near = std::fma(near, q, -17.0 / 315);
  near = std::fma(near, q, 2.0 / 15);
  near = std::fma(near, q, -1.0 / 3);
  near = std::fma(near * q, v, v);
  return std::copysign(v < 0x1p-5 ? near : far, x);
}

}  // namespace
}  // namespace ww::lane
