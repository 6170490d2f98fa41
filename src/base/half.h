// 16-bit floating types as bit patterns, and their conversions. Branch-free, so that loops over lanes
// vectorise. Everything is forced inline: these functions are compiled for several CPUs into one binary, and
// a copy of one left behind for the linker to pick could hold instructions that the machine does not have.
#pragma once

#include <bit>
#include <cstdint>

// Where the compiler makes the processor's own conversions of whole vectors (gcc makes calls, one by one).
#if defined(__clang__) && defined(__F16C__)
#define WW_HALF_INSTRUCTIONS
#endif

#define WW_INLINE [[gnu::always_inline]] inline

namespace ww {

struct f16 {
  uint16_t bits;
};
struct bf16 {
  uint16_t bits;
};

/// Exact.
WW_INLINE float to_float(f16 h) {
#ifdef WW_HALF_INSTRUCTIONS
  return static_cast<float>(std::bit_cast<_Float16>(h.bits));
#else
  uint32_t sign = uint32_t{h.bits} >> 15 << 31;
  uint32_t magnitude = h.bits & 0x7fffu;
  // Scale by 2^112 moves the exponent to its place and normalises subnormals; exponent 31 then is made 255.
  float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  uint32_t bits = std::bit_cast<uint32_t>(scaled);
  bits = magnitude >= 0x7c00u ? (magnitude << 13 | 0x7f800000u) : bits;
  return std::bit_cast<float>(bits | sign);
#endif
}

/// Exact.
WW_INLINE float to_float(bf16 b) { return std::bit_cast<float>(uint32_t{b.bits} << 16); }

/// To nearest, ties to even. NaN becomes 0x7fff, the canonical NaN of PTX.
WW_INLINE f16 to_f16(float f) {
#ifdef WW_HALF_INSTRUCTIONS
  const uint16_t h = std::bit_cast<uint16_t>(static_cast<_Float16>(f));
  return {f != f ? uint16_t{0x7fff} : h};
#else
  uint32_t bits = std::bit_cast<uint32_t>(f);
  uint32_t sign = bits >> 16 & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  // Subnormal results: adding 2^-1 with its ulp of 2^-24 lets the float adder round to a multiple of 2^-24.
  uint32_t small = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1) - 0x38000000u) >> 13;
  uint32_t h = magnitude < 0x38800000u ? small : normal;
  h = magnitude >= 0x477ff000u ? 0x7c00u : h;
  uint32_t result = magnitude > 0x7f800000u ? 0x7fffu : (h | sign);
  return {static_cast<uint16_t>(result)};
#endif
}

/// To nearest, ties to even. NaN becomes 0x7fff.
WW_INLINE bf16 to_bf16(float f) {
  uint32_t bits = std::bit_cast<uint32_t>(f);
  uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  uint32_t result = (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded;
  return {static_cast<uint16_t>(result)};
}

}  // namespace ww
