// Numbers of 8, 6 and 4 bits (CUDA Math API, "FP8", "FP6", "FP4 Intrinsics"): rounding to them and back, in
// whole numbers, the same on the host and in kernels.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace ww_small {
/// A sign, `kExponent` bits of exponent and `kFraction` of fraction. What is larger than the code `largest`
/// becomes `beyond`.
template <int kExponent, int kFraction>
static __host__ __device__ __inline__ unsigned encode(double x, unsigned largest, unsigned beyond,
                                                      unsigned nan, int rounding) {
  const int bias = (1 << (kExponent - 1)) - 1, least = 1 - bias;
  unsigned long long bits;
  __builtin_memcpy(&bits, &x, 8);
  const bool negative = bits >> 63;
  const unsigned sign = negative ? 1u << (kExponent + kFraction) : 0;
  bits &= ~0ull >> 1;
  if (bits > 0x7ffull << 52) return nan;
  if (bits == 0) return sign;
  const int exponent = (int)(bits >> 52) - 1023;
  if (exponent > bias + 1) bits = 0x7ffull << 52;  // far beyond
  const unsigned long long digits = (bits & ~0ull >> 12) | 1ull << 52;
  const int cut = 52 - kFraction + (exponent < least ? least - exponent : 0);
  const unsigned long long kept = cut > 53 ? 0 : digits >> cut;
  const unsigned long long rest = cut > 53 ? 1 : digits & ((1ull << cut) - 1);
  const unsigned long long half = cut > 53 ? 2 : 1ull << (cut - 1);
  unsigned code = (unsigned)kept;
  if (bits == 0x7ffull << 52)
    code = largest + 1;
  else if (exponent >= least)
    code += (unsigned)(exponent - least) << kFraction;
  const bool away = rounding == cudaRoundNearest  ? rest > half || (rest == half && (kept & 1))
                    : rounding == cudaRoundPosInf ? rest && !negative
                    : rounding == cudaRoundMinInf ? rest && negative
                                                  : false;
  code += away;
  return sign | (code > largest ? beyond : code);
}
/// Of a code that is a number.
template <int kExponent, int kFraction>
static __host__ __device__ __inline__ float decode(unsigned code) {
  const int bias = (1 << (kExponent - 1)) - 1;
  const unsigned exponent = code >> kFraction & ((1u << kExponent) - 1),
                 fraction = code & ((1u << kFraction) - 1);
  const unsigned sign = (code >> (kExponent + kFraction) & 1) << 31;
  unsigned bits;
  if (exponent) {
    bits = (exponent + 127 - bias) << 23 | fraction << (23 - kFraction);
  } else {
    const float small = (float)fraction;  // units of the least one
    __builtin_memcpy(&bits, &small, 4);
    if (fraction) bits -= (unsigned)(bias - 1 + kFraction) << 23;
  }
  bits |= sign;
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}
static __host__ __device__ __inline__ float of_bits(unsigned bits) {
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}
}  // namespace ww_small
