// The 8-, 6- and 4-bit floating types. Belongs to isa/lane.h, which says how this code is compiled.
#pragma once

#include "isa/lane_half.h"

namespace ww::lane {
namespace {

// 4 exponent bits with bias 7, no infinity, NaN 0x7f; 5 exponent bits with bias 15, infinity 0x7c (OCP 8-bit
// floating point).
struct e4m3 {
  u8 bits;
  static constexpr int kMantissa = 3, kBias = 7;
  static constexpr u32 kLargest = 0x7e;
};
struct e5m2 {
  u8 bits;
  static constexpr int kMantissa = 2, kBias = 15;
  static constexpr u32 kLargest = 0x7b;
};
struct e4m3x2 {
  u16 bits;
  using element = e4m3;
};
struct e5m2x2 {
  u16 bits;
  using element = e5m2;
};

/// To nearest, ties to even, to at most the largest finite value (.satfinite); NaN becomes 0x7f.
template <class E>
WW_INLINE u8 to_fp8(f32 v, Relu relu) {
  constexpr int kDrop = 23 - E::kMantissa;
  constexpr u32 kMagic = u32(127 + 1 - E::kBias - E::kMantissa + 23)
                         << 23;  // its ulp is the smallest subnormal
  u32 bits = std::bit_cast<u32>(v);
  u32 sign = bits >> 24 & 0x80, magnitude = bits & 0x7fffffffu;
  u32 small = std::bit_cast<u32>(std::bit_cast<f32>(magnitude) + std::bit_cast<f32>(kMagic)) - kMagic;
  u32 rebias = u32(127 - E::kBias) << 23;
  u32 normal = (magnitude - rebias + (1u << (kDrop - 1)) - 1 + (magnitude >> kDrop & 1)) >> kDrop;
  u32 code = magnitude < rebias + (1u << 23) ? small : normal;
  code = code > E::kLargest ? E::kLargest : code;
  if (relu && sign) return magnitude > 0x7f800000u ? 0x7f : 0;
  return magnitude > 0x7f800000u ? 0x7f : u8(code | sign);
}

/// Exact.
WW_INLINE f32 to_float(e5m2 v) { return ww::to_float(f16{u16(v.bits << 8)}); }
WW_INLINE f32 to_float(e4m3 v) {
  u32 magnitude = v.bits & 0x7f;
  f32 f = std::bit_cast<f32>(magnitude << 20) * 0x1p120f;
  f = magnitude == 0x7f ? std::numeric_limits<f32>::quiet_NaN() : f;
  return v.bits & 0x80 ? -f : f;
}

template <class P>
WW_INLINE P to_fp8_pair(f32 hi, f32 lo, Relu relu) {
  using E = typename P::element;
  return {u16(to_fp8<E>(hi, relu) << 8 | to_fp8<E>(lo, relu))};
}
template <class P>
WW_INLINE f16x2 from_fp8_pair(P a, Relu relu) {
  using E = typename P::element;
  HalfMods mods{false, false, relu.on};
  f16 lo = finish_half<f16>(to_float(E{u8(a.bits)}), mods),
      hi = finish_half<f16>(to_float(E{u8(a.bits >> 8)}), mods);
  return {pack_halves(lo.bits, hi.bits)};
}

// OCP microscaling formats: no infinity, no NaN. The two of a pair lie in a byte each; those of e2m1x2 in half a
// byte.
struct e2m3x2 {
  u16 bits;
  static constexpr int kMantissa = 3, kBias = 1, kShift = 8;
  static constexpr u32 kLargest = 0x1f, kSign = 0x20;
};
struct e3m2x2 {
  u16 bits;
  static constexpr int kMantissa = 2, kBias = 3, kShift = 8;
  static constexpr u32 kLargest = 0x1f, kSign = 0x20;
};
struct e2m1x2 {
  u8 bits;
  static constexpr int kMantissa = 1, kBias = 1, kShift = 4;
  static constexpr u32 kLargest = 0x7, kSign = 0x8;
};

/// To nearest, ties to even, to at most the largest; NaN becomes the largest (PTX ISA, cvt).
template <class P>
WW_INLINE u32 to_small(f32 v, Relu relu) {
  if (v != v) return P::kLargest;
  bool negative = std::signbit(v);
  if (relu && negative) return 0;
  f32 magnitude = std::fabs(v);
  int exponent = magnitude == 0 ? 1 - P::kBias : std::ilogb(magnitude);
  if (exponent < 1 - P::kBias) exponent = 1 - P::kBias;
  f32 scaled = magnitude > 0x1p20f ? 0x1p20f : std::ldexp(magnitude, P::kMantissa - exponent);
  u32 steps = u32(std::nearbyint(scaled));  // below the next exponent, or just at it
  u32 code = steps + (u32(exponent + P::kBias - 1) << P::kMantissa);
  if (magnitude > 0x1p20f || code > P::kLargest) code = P::kLargest;
  return code | (negative ? P::kSign : 0);
}
template <class P>
WW_INLINE P to_small_pair(f32 hi, f32 lo, Relu relu) {
  P p;
  p.bits = decltype(p.bits)(to_small<P>(hi, relu) << P::kShift | to_small<P>(lo, relu));
  return p;
}
/// Exact.
template <class P>
WW_INLINE f32 from_small(u32 code) {
  u32 magnitude = code & P::kLargest, fraction = magnitude & ((1u << P::kMantissa) - 1);
  int exponent = int(magnitude >> P::kMantissa);
  f32 v = exponent == 0 ? std::ldexp(f32(fraction), 1 - P::kBias - P::kMantissa)
                        : std::ldexp(f32(fraction + (1u << P::kMantissa)), exponent - P::kBias - P::kMantissa);
  return code & P::kSign ? -v : v;
}
template <class P>
WW_INLINE f16x2 from_small_pair(P a, Relu relu) {
  HalfMods mods{false, false, relu.on};
  f16 lo = finish_half<f16>(from_small<P>(a.bits), mods),
      hi = finish_half<f16>(from_small<P>(u32(a.bits) >> P::kShift), mods);
  return {pack_halves(lo.bits, hi.bits)};
}

/// Two scales, each a power of two: 8 exponent bits with bias 127, NaN 0xff.
struct ue8m0x2 {
  u16 bits;
};
/// The sign does not count; .rp rounds up to the next power, .rz down, infinity saturates to the largest.
WW_INLINE u32 to_scale(f32 v, Rounding rnd, Clamp satfinite) {
  u32 bits = std::bit_cast<u32>(v) & 0x7fffffffu, exponent = bits >> 23, fraction = bits & 0x7fffffu;
  if (bits > 0x7f800000u) return 0xff;
  bool up = rnd.mode == Mod::rp && fraction != 0 && (exponent != 0 || fraction > 0x400000u);
  exponent += up && exponent < 0xff;
  return exponent == 0xff && satfinite ? 0xfe : exponent;
}
WW_INLINE ue8m0x2 to_scale_pair(f32 hi, f32 lo, Rounding rnd, Clamp satfinite) {
  return {u16(to_scale(hi, rnd, satfinite) << 8 | to_scale(lo, rnd, satfinite))};
}
WW_INLINE bf16x2 from_scale_pair(ue8m0x2 a) {
  auto one = [](u32 code) { return u16(code == 0xff ? 0x7fff : code == 0 ? 0x0040 : code << 7); };
  return {pack_halves(one(a.bits & 0xff), one(a.bits >> 8))};
}

}  // namespace
}  // namespace ww::lane
