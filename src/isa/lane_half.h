// Half-precision lanes: f16 and bf16, alone and in pairs. Belongs to isa/lane.h, which says how this code is
// compiled.
#pragma once

#include "isa/lane_convert.h"
#include "isa/lane_integer.h"

namespace ww::lane {
namespace {

/// .ftz, .sat and .relu of a half-precision instruction.
struct HalfMods {
  bool ftz, sat, relu;
};
/// ex2.approx.ftz.bf16 always flushes.
inline constexpr HalfMods kFlush{true, false, false};

template <class T>
concept Pair = requires {
  typename T::half;
};
template <class T>
struct HalfOf {
  using type = T;
};
template <Pair T>
struct HalfOf<T> {
  using type = typename T::half;
};

template <class H>
WW_INLINE H low_of(H v) {
  return v;
}
template <Pair T>
WW_INLINE typename T::half low_of(T v) {
  return {u16(v.bits)};
}
template <Pair T>
WW_INLINE typename T::half high_of(T v) {
  return {u16(v.bits >> 16)};
}

template <class H>
WW_INLINE H flush_half(H v, bool ftz) {
  constexpr u16 kExponent = std::is_same_v<H, f16> ? 0x7c00 : 0x7f80;
  return {u16(ftz && (v.bits & kExponent) == 0 ? v.bits & 0x8000 : v.bits)};
}

/// Rounds a result once (V: the exact value, or one rounded to odd) and applies what the instruction asks
/// for.
template <class H, class V>
WW_INLINE H finish_half(V v, HalfMods mods) {
  if (mods.sat) v = saturate01(v);
  if (mods.relu) v = v > 0 || v != v ? v : V(0);
  f32 f = as_float_for_narrowing(v);
  // .ftz: what is below the smallest normal even when rounded with an unbounded exponent (see flush_tiny in
  // lane.h).
  constexpr f32 kTiny = std::is_same_v<H, f16> ? 0x1p-14f - 0x1p-26f : 0x1p-126f - 0x1p-135f;
  if (mods.ftz && std::fabs(f) < kTiny) f = std::copysign(0.0f, f);
  if constexpr (std::is_same_v<H, f16>)
    return to_f16(f);
  else
    return to_bf16(f);
}

/// Applies f to the halves (T: f16, bf16 or a pair of them); f gets halves and returns f32 or f64.
template <class T, class F, class... A>
WW_INLINE T halves(HalfMods mods, F f, A... a) {
  using H = typename HalfOf<T>::type;
  H lo = finish_half<H>(f(flush_half(low_of(a), mods.ftz)...), mods);
  if constexpr (Pair<T>)
    return {pack_halves(lo.bits, finish_half<H>(f(flush_half(high_of(a), mods.ftz)...), mods).bits)};
  else
    return lo;
}

// What the results are computed in, so that finish_half rounds correctly:
// - sums: f32 has more than twice the bits of both formats plus two, so rounding to f32 first does no harm;
// - products: exact in f32 for f16 (22 bits, 2^-48 to 2^32), in f64 for bf16 (whose products leave the range
// of f32);
// - fused: the product is exact as above, and the sum is rounded to odd.

WW_INLINE f32 product(f16 a, f16 b) { return to_float(a) * to_float(b); }
WW_INLINE f64 product(bf16 a, bf16 b) { return f64(to_float(a)) * to_float(b); }

/// a + b rounded to odd: Knuth's exact error says whether, and to which side, the rounded sum errs.
template <class V>
WW_INLINE V odd_sum(V a, V b) {
  using U = std::conditional_t<sizeof(V) == 4, u32, u64>;
  V sum = a + b, part = sum - a;
  V error = (a - (sum - part)) + (b - part);
  U bits = std::bit_cast<U>(sum);
  bool inexact = error < 0 || error > 0;  // false for NaN: the sum is infinite or NaN
  bool grow = (error > 0) == (sum > 0);
  bits = inexact && (bits & 1) == 0 ? (grow ? bits + 1 : bits - 1) : bits;
  return std::bit_cast<V>(bits);
}
template <class H>
WW_INLINE auto fused_half(H a, H b, H c) {
  auto p = product(a, b);
  return odd_sum(p, decltype(p)(to_float(c)));
}

/// .xorsign.abs: the sign is the exclusive or of the signs of the inputs.
template <class T>
WW_INLINE T with_xor_sign(T v, T a, T b) {
  return v != v ? v : std::copysign(v, std::signbit(a) != std::signbit(b) ? T(-1) : T(1));
}
template <class T>
WW_INLINE T minimum_magnitude(T a, T b) {
  return with_xor_sign(minimum_number(std::fabs(a), std::fabs(b)), a, b);
}
template <class T>
WW_INLINE T maximum_magnitude(T a, T b) {
  return with_xor_sign(maximum_number(std::fabs(a), std::fabs(b)), a, b);
}
template <class T>
WW_INLINE T minimum_magnitude_nan(T a, T b) {
  return with_xor_sign(minimum(std::fabs(a), std::fabs(b)), a, b);
}
template <class T>
WW_INLINE T maximum_magnitude_nan(T a, T b) {
  return with_xor_sign(maximum(std::fabs(a), std::fabs(b)), a, b);
}

// ---- comparison ----

template <class T>
WW_INLINE bool compare_low(Cmp cmp, T a, T b, HalfMods mods) {
  return compare(cmp, to_float(flush_half(low_of(a), mods.ftz)), to_float(flush_half(low_of(b), mods.ftz)));
}
/// p from the low halves, q from the high halves.
template <Pair T>
WW_INLINE PredPair compare_pair(Cmp cmp, T a, T b, HalfMods mods) {
  return {compare_low(cmp, a, b, mods), compare(cmp, to_float(flush_half(high_of(a), mods.ftz)),
                                                to_float(flush_half(high_of(b), mods.ftz)))};
}
/// set on pairs: 1.0 or 0 in each half, as masks 0xffff for integers.
template <class D>
WW_INLINE D truth_pair(bool lo, bool hi) {
  constexpr u16 kTrue = std::is_same_v<D, f16x2> ? 0x3c00 : std::is_same_v<D, bf16x2> ? 0x3f80 : 0xffff;
  return std::bit_cast<D>(pack_halves(lo ? kTrue : 0, hi ? kTrue : 0));
}

}  // namespace
}  // namespace ww::lane
