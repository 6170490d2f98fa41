// Conversions between types. Belongs to isa/lane.h, which says how this code is compiled.
#pragma once

#include "isa/lane.h"

namespace ww::lane {
namespace {

WW_INLINE f32 widen(f16 v) { return to_float(v); }
WW_INLINE f32 widen(bf16 v) { return to_float(v); }
WW_INLINE f32 widen(f32 v) { return v; }
WW_INLINE f64 widen(f64 v) { return v; }

template <class T>
WW_INLINE T round_integral(T v, Rounding rnd) {
  switch (rnd.mode) {
    case Mod::rz:
    case Mod::rzi:
      return std::trunc(v);
    case Mod::rm:
    case Mod::rmi:
      return std::floor(v);
    case Mod::rp:
    case Mod::rpi:
      return std::ceil(v);
    default:
      return std::nearbyint(v);  // the host rounds to nearest even
  }
}

/// Float to integer: rounds, clamps to the range of D. NaN gives 0, or the top bit alone where the source is
/// f64 or the destination has 64 bits (PTX ISA, cvt).
template <class D, class A>
WW_INLINE D round_to_int(A a, Rounding rnd) {
  auto v = round_integral(widen(a), rnd);
  using V = decltype(v);
  using Limits = std::numeric_limits<D>;
  constexpr V kTop =
      V(2) * V(u64(1) << (sizeof(D) * 8 - 1 - (std::is_signed_v<D> ? 1 : 0)));  // max + 1, exact
  if (v != v) return std::is_same_v<A, f64> || sizeof(D) == 8 ? D(u64(1) << (sizeof(D) * 8 - 1)) : D(0);
  if (v >= kTop) return Limits::max();
  if (v < V(Limits::min())) return Limits::min();
  return D(v);
}

/// Narrowing with a chosen rounding, by nudging the result of round-to-nearest by one unit where it erred to
/// the wrong side. `exact` is the exact value as a wider type; Narrow holds raw bits of a sign-magnitude
/// format.
template <class Bits, class V, class ToWide>
WW_INLINE Bits nudge(Bits nearest, V exact, Mod mode, Bits infinity, ToWide wide) {
  constexpr Bits kSign = Bits(1) << (sizeof(Bits) * 8 - 1);
  Bits magnitude = nearest & Bits(~kSign);
  if (magnitude > infinity) return nearest;  // NaN
  V got = wide(nearest);
  bool negative = std::signbit(exact);
  bool too_big = std::fabs(got) > std::fabs(exact), too_small = std::fabs(got) < std::fabs(exact);
  bool away = (mode == Mod::rp && !negative) || (mode == Mod::rm && negative);
  bool toward = mode == Mod::rz || (mode == Mod::rp && negative) || (mode == Mod::rm && !negative);
  if (toward && too_big) return Bits(nearest - 1);
  if (away && too_small) return Bits(nearest + 1);
  return nearest;
}

/// Rounds once from double to a 16-bit format: to float with round-to-odd first, so that the second rounding
/// is innocuous.
WW_INLINE f32 odd_float(f64 v) {
  f32 f = f32(v);
  u32 bits = std::bit_cast<u32>(f);
  bool inexact = f64(f) != v && v == v && std::fabs(f64(f)) != std::numeric_limits<f64>::infinity();
  if (inexact && (bits & 1) == 0) bits = std::fabs(f64(f)) > std::fabs(v) ? bits - 1 : bits + 1;
  if (v == v && std::fabs(v) != std::numeric_limits<f64>::infinity() && std::isinf(f))
    bits = (bits & 0x80000000u) | 0x7f7fffffu;
  return std::bit_cast<f32>(bits);
}
WW_INLINE f32 as_float_for_narrowing(f32 v) { return v; }
WW_INLINE f32 as_float_for_narrowing(f64 v) { return odd_float(v); }

template <class D, class V>
WW_INLINE D narrow(V v, Rounding rnd) {
  if constexpr (std::is_same_v<D, f16>) {
    f16 h = to_f16(as_float_for_narrowing(v));
    return {nudge<u16>(h.bits, v, rnd.mode, 0x7c00, [](u16 b) { return V(to_float(f16{b})); })};
  } else if constexpr (std::is_same_v<D, bf16>) {
    bf16 h = to_bf16(as_float_for_narrowing(v));
    return {nudge<u16>(h.bits, v, rnd.mode, 0x7f80, [](u16 b) { return V(to_float(bf16{b})); })};
  } else if constexpr (std::is_same_v<D, f32> && std::is_same_v<V, f64>) {
    u32 bits = std::bit_cast<u32>(f32(v));
    return std::bit_cast<f32>(
        nudge<u32>(bits, v, rnd.mode, 0x7f800000u, [](u32 b) { return f64(std::bit_cast<f32>(b)); }));
  } else {
    return D(v);
  }
}

/// Integers to floating types. The host rounds to nearest even at once; otherwise a 64-bit integer, which
/// does not fit a double exactly, is rounded by hand.
template <class D, class A>
WW_INLINE D round_to_float(A a, Rounding rnd) {
  if constexpr (sizeof(A) <= 4) {
    if constexpr (std::is_same_v<D, f64>)
      return f64(a);
    else
      return narrow<D>(f64(a), rnd);
  } else {
    if constexpr (std::is_same_v<D, f64> || std::is_same_v<D, f32>)
      if (rnd.mode == Mod::rn || rnd.mode == Mod::none) return D(a);
    bool negative = a < 0;
    u64 m = negative ? u64(0) - u64(a) : u64(a);
    // Keep 53 bits; what is cut off leaves a sticky bit, so the double is the value rounded to odd.
    int cut = 64 - std::countl_zero(m) - 53;
    u64 kept = cut > 0 ? (m >> cut) : m;
    u64 lost = cut > 0 ? m & ((u64(1) << cut) - 1) : 0;
    const f64 unit = f64(u64(1) << (cut > 0 ? cut : 0));  // products with it are exact
    if constexpr (std::is_same_v<D, f64>) {
      if (lost) kept += rnd.mode == Mod::rp ? !negative : rnd.mode == Mod::rm && negative;
      f64 v = f64(kept) * unit;
      return negative ? -v : v;
    } else {
      f64 v = f64(kept | (lost ? 1 : 0)) * unit;
      return narrow<D>(negative ? -v : v, rnd);
    }
  }
}

/// f64 to a 16-bit format's NaN: the sign and the top of the payload stay, quiet (observed on an H200).
template <class D>
WW_INLINE D narrow_nan(f64 v) {
  constexpr int kMantissa = std::is_same_v<D, f16> ? 10 : 7;
  u64 bits = std::bit_cast<u64>(v);
  u16 quiet = std::is_same_v<D, f16> ? 0x7e00 : 0x7fc0;
  return {u16((bits >> 48 & 0x8000) | quiet | (bits >> (52 - kMantissa) & ((1u << kMantissa) - 1)))};
}

/// What convert_float delivers: f32 from f64 and from bf16 keeps a NaN's payload, other NaNs are canonical.
template <class D, class A>
using Converted =
    std::conditional_t<std::is_same_v<D, f32> && (std::is_same_v<A, f64> || std::is_same_v<A, bf16>),
                       KeptNan<f32>, D>;

/// Between floating types (see conversion.inc). satfinite: what is beyond the largest finite value becomes
/// that value.
template <class D, class A>
WW_INLINE Converted<D, A> convert_float(A a, Rounding rnd, Relu relu, Clamp satfinite = {false},
                                        Ftz ftz = {false}) {
  auto v = widen(a);
  bool integral =
      rnd.mode == Mod::rni || rnd.mode == Mod::rzi || rnd.mode == Mod::rmi || rnd.mode == Mod::rpi;
  if (integral) v = round_integral(v, rnd);
  if (relu && !(v > 0)) v = v != v ? v : 0;
  if (satfinite) {
    constexpr f32 kLargest = std::is_same_v<D, f16>    ? 65504.0f
                             : std::is_same_v<D, bf16> ? 0x1.fep127f
                                                       : std::numeric_limits<f32>::infinity();
    v = v > kLargest ? kLargest : v < -kLargest ? -kLargest : v;
  }
  if constexpr (std::is_same_v<D, f64>)
    return f64(v);
  else if constexpr (std::is_same_v<D, f32> && std::is_same_v<A, bf16>)
    return {v};
  else if constexpr (std::is_same_v<D, f32> && std::is_same_v<A, f64>)
    return {flush_tiny(narrow<f32>(v, rnd), narrow<f32>(v * 0x1p32, rnd), ftz)};
  else if constexpr (std::is_same_v<A, f64>)
    return v != v ? narrow_nan<D>(v) : narrow<D>(v, rnd);
  else if constexpr (std::is_same_v<D, A> && !std::is_same_v<D, f16> && !std::is_same_v<D, bf16>)
    return v;
  else
    return narrow<D>(v, rnd);
}

/// f32 to tf32: 10 bits of mantissa, the rest zero. rna: ties away; rn: ties to even; rz: truncation.
WW_INLINE u32 to_tf32(f32 a, Rounding rnd, Relu relu, Clamp satfinite) {
  u32 bits = std::bit_cast<u32>(a);
  if (a != a) return 0x7fffffffu;
  if (relu && !(a > 0)) return 0;
  u32 half = rnd.mode == Mod::rna ? 0x1000u : rnd.mode == Mod::rz ? 0 : 0xfffu + (bits >> 13 & 1);
  u32 rounded = (std::isinf(a) ? bits : bits + half) & 0xffffe000u;
  bool beyond = (rounded & 0x7fffffffu) >= 0x7f800000u;
  return satfinite && beyond ? (bits & 0x80000000u) | 0x7f7fe000u : rounded;
}

}  // namespace
}  // namespace ww::lane
