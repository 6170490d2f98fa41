// Float32 matrices for products on tensor cores by Karatsuba's scheme. Every row of A and every column of B
// is raised by a power of two, so that its largest element lies from 2^14 on and below 2^15. An element is
// then
//   h + m + l:  h of 10 bits, m of what is left 11 more (a multiple of h's last bit · 2^-11), l the rest.
// With M = 2^11 · m, whose last bit is h's, h + M has 11 bits: it fits float16, as h and M do. And
//   A·B = (1 − 2^-11) (h·h' − 2^-11 M·M') + 2^-11 (h + M)·(h' + M') + h·l' + l·h'   (+ m·l' …, below 2^-30),
// three products of float16 instead of four. l has 3 bits and is so small that beside it h may be rounded to
// 4: the last two are products of 8-bit floats, which take half as long.
//
// What this is not for: elements that are small beside their row's (column's) largest. Below 2^-13 of it the
// 8-bit h loses bits (an error of up to 2^-38 of the largest), below 2^-23 M does (2^-48). So it is known how
// many are below 2^-6: where of a row of A and of a column of B together at most three quarters are, a
// quarter of the terms are at least 2^-12 of what is largest, and 2^-38 for each term is less than 2^-23 of
// their sum.
#pragma once

#include "kernels/matmul/halves.h"

constexpr int kKaratsuba = 4;  ///< matrices: 8-bit h and l, M, h, h + M
constexpr float kUpperScale = 1 - 1.0f / 2048, kLowScale = 1.0f / 2048;
// Powers of two that M is stored lower by, in A and in B (together the 2^-11 of M·M'), and the 8-bit h and l
// by (l then counts 2^11 times, as h + M does).
constexpr float kMiddleA = 64, kMiddleB = 32, kUpper8 = 1.0f / 128, kLow8 = 262144;

__device__ __forceinline__ unsigned pack_f16(float low, float high) {
  unsigned both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}
__device__ __forceinline__ unsigned pack_e4m3(float a, float b, float c, float d) {
  unsigned all;
  asm("{ .reg .b16 l, h;\n"
      "cvt.rn.satfinite.e4m3x2.f32 l, %2, %1;\n cvt.rn.satfinite.e4m3x2.f32 h, %4, %3;\n"
      "mov.b32 %0, {l, h}; }"
      : "=r"(all)
      : "f"(a), "f"(b), "f"(c), "f"(d));
  return all;
}
__device__ __forceinline__ unsigned pack_e5m2(float a, float b, float c, float d) {
  unsigned all;
  asm("{ .reg .b16 l, h;\n"
      "cvt.rn.satfinite.e5m2x2.f32 l, %2, %1;\n cvt.rn.satfinite.e5m2x2.f32 h, %4, %3;\n"
      "mov.b32 %0, {l, h}; }"
      : "=r"(all)
      : "f"(a), "f"(b), "f"(c), "f"(d));
  return all;
}

/// An element's three parts: by adding and taking off a number whose last bit is the part's. Elements below
/// 2^-9 have those of 2^-9: M would not fit float16 otherwise.
struct Digits {
  float h, m, l;
};
__device__ __forceinline__ Digits digits(float v) {
  constexpr unsigned kLeast = (127 - 9) << 23;
  const unsigned exponent = max(magnitude_bits(v) & 0x7f800000u, kLeast);
  float round_h, round_m;
  asm("mov.b32 %0, %1;" : "=f"(round_h) : "r"(exponent + (14u << 23) + 0x400000u));
  asm("mov.b32 %0, %1;" : "=f"(round_m) : "r"(exponent + (3u << 23) + 0x400000u));
  Digits d;
  d.h = (v + round_h) - round_h;
  const float both = (v + round_m) - round_m;
  d.m = both - d.h, d.l = v - both;
  return d;
}

/// Eight elements of a row, from a column on that is a multiple of eight: the parts that A and B (SECOND)
/// have each in their own way. `eight`, `middle`: where 16-bit elements begin in the matrices.
template <bool SECOND>
__device__ __forceinline__ void split_own(const Digits (&d)[8], uint4* eight, uint4* middle, int column) {
  // In each 64 columns' 128 bytes A has h before l, B behind.
  uint2* const to = reinterpret_cast<uint2*>(eight - column % 64 / 8) + column % 64 / 8;
  to[SECOND ? 8 : 0] = {pack_e4m3(kUpper8 * d[0].h, kUpper8 * d[1].h, kUpper8 * d[2].h, kUpper8 * d[3].h),
                        pack_e4m3(kUpper8 * d[4].h, kUpper8 * d[5].h, kUpper8 * d[6].h, kUpper8 * d[7].h)};
  to[SECOND ? 0 : 8] = {pack_e5m2(kLow8 * d[0].l, kLow8 * d[1].l, kLow8 * d[2].l, kLow8 * d[3].l),
                        pack_e5m2(kLow8 * d[4].l, kLow8 * d[5].l, kLow8 * d[6].l, kLow8 * d[7].l)};
  constexpr float kMiddle = SECOND ? kMiddleB : kMiddleA;
  *middle = {pack_f16(kMiddle * d[0].m, kMiddle * d[1].m), pack_f16(kMiddle * d[2].m, kMiddle * d[3].m),
             pack_f16(kMiddle * d[4].m, kMiddle * d[5].m), pack_f16(kMiddle * d[6].m, kMiddle * d[7].m)};
}
/// The others.
__device__ __forceinline__ void split_common(const Digits (&d)[8], uint4* upper, uint4* both) {
  *upper = {pack_f16(d[0].h, d[1].h), pack_f16(d[2].h, d[3].h), pack_f16(d[4].h, d[5].h),
            pack_f16(d[6].h, d[7].h)};
  float sum[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) sum[i] = fmaf(2048, d[i].m, d[i].h);
  *both = {pack_f16(sum[0], sum[1]), pack_f16(sum[2], sum[3]), pack_f16(sum[4], sum[5]),
           pack_f16(sum[6], sum[7])};
}
/// What matrices of parts are made of: A's four, B's, or for A·Aᵀ six, of which the first four are the first
/// operand's and the last four the second's, in another order (part_of_second).
enum class SplitFor { first, second, lower };
constexpr int kKaratsubaLower = 6;
/// To the matrices, `apart` elements of uint4 from one to the next.
template <SplitFor OF>
__device__ __forceinline__ void split_karatsuba(const float (&v)[8], int exponent, uint4* to, size_t apart,
                                                int column) {
  Digits d[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) d[i] = digits(raise(v[i], exponent));
  split_own<OF == SplitFor::second>(d, to, to + apart, column);
  split_common(d, to + 2 * apart, to + 3 * apart);
  if (OF == SplitFor::lower) split_own<true>(d, to + 5 * apart, to + 4 * apart, column);
}
template <bool LOWER>
__device__ __forceinline__ int part_of_second(int part) {
  return !LOWER ? part : part < 2 ? 3 - part : part - 2;
}

/// How many elements are small, of rows of A (0) and columns of B (1): the most, where that is more than few.
/// Null: nobody has counted, and all is multiplied.
struct Smalls {
  const int* most;
  int k;
  static __device__ __forceinline__ int few(int k) { return k / 8; }
  static __device__ __forceinline__ bool fit(int most_of_a, int most_of_b, int k) {
    return max(most_of_a, few(k)) + max(most_of_b, few(k)) <= k - k / 4;
  }
  __device__ __forceinline__ bool fit() const { return !most || fit(most[0], most[1], k); }
};
/// The magnitude's bits below which elements of a row are small.
__device__ __forceinline__ unsigned small_below(unsigned largest) {
  constexpr unsigned kSix = 6u << 23;
  return largest > kSix ? largest - kSix : 0;
}
