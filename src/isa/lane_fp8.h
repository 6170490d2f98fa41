// The 8-bit floating types. Belongs to isa/lane.h, which says how this code is compiled.
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

}  // namespace
}  // namespace ww::lane
