// Float32 matrices as sums of two or three float16 ones: every row of A and every column of B is raised by a
// power of two, so that its largest element lies from 2^14 on and below 2^15, and what rounding to float16
// leaves is rounded to float16 again. Together the halves have 22 bits and two signs: they differ from the
// element by at most 2^-23 of it, and by at most 2^-40 of the largest where the element is so small that the
// lower half has few bits left. A third part takes what is left: then the parts are the element, if it is not
// below 2^-16 of the largest.
//
// Or as sums of three bf16 ones, which have float32's exponents and need no raising.
#pragma once

#include "kernels/matmul/tensor_tiles.h"

constexpr int kScanSlices = 16;  ///< B is scanned in so many slices of its rows
constexpr int kSplitColumns = 128, kSplitRows = 128;

__device__ __forceinline__ unsigned magnitude_bits(float v) {
  unsigned bits;
  asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(v));
  return bits & 0x7fffffff;
}
/// What to raise elements by whose largest magnitude has these bits.
__device__ __forceinline__ int exponent_for(unsigned largest) {
  if (largest == 0) return 0;
  const int exponent = static_cast<int>(largest >> 23);
  return 14 - (exponent > 0 ? exponent - 127 : -118 - __clz(static_cast<int>(largest)));
}

/// Two elements to a pair of float16 or bf16 (`b` in the upper bits); they become what rounding left.
template <class TYPE>
__device__ __forceinline__ unsigned take_part(float& a, float& b);
template <>
__device__ __forceinline__ unsigned take_part<F16>(float& a, float& b) {
  unsigned both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(b), "f"(a));
  asm("{ .reg .b16 l, h; .reg .f32 fl, fh;\n"
      "mov.b32 {l, h}, %2;\n cvt.f32.f16 fl, l;\n cvt.f32.f16 fh, h;\n"
      "sub.f32 %0, %0, fl;\n sub.f32 %1, %1, fh; }"
      : "+f"(a), "+f"(b)
      : "r"(both));
  return both;
}
template <>
__device__ __forceinline__ unsigned take_part<Bf16>(float& a, float& b) {
  const unsigned both = pack_bf16(a, b);
  asm("{ .reg .b32 l, h;\n"
      "shl.b32 l, %2, 16;\n and.b32 h, %2, 0xffff0000;\n"
      "sub.f32 %0, %0, l;\n sub.f32 %1, %1, h; }"
      : "+f"(a), "+f"(b)
      : "r"(both));
  return both;
}

/// Four elements' parts, the largest first, each to a matrix `apart` elements of uint2 behind the last.
template <class TYPE, int PARTS>
__device__ __forceinline__ void split_four(float4 v, uint2* to, size_t apart) {
#pragma unroll
  for (int part = 0; part < PARTS; ++part) {
    uint2 both;
    both.x = take_part<TYPE>(v.x, v.y);
    both.y = take_part<TYPE>(v.z, v.w);
    to[part * apart] = both;
  }
}

/// What row `row` of A is raised by, also to raised[row]: 256 threads. k is a multiple of 4.
__device__ __forceinline__ int exponent_of_row(const float* a, int* raised, int row, int k) {
  __shared__ unsigned shared_largest[8];
  const float4* from = reinterpret_cast<const float4*>(a + static_cast<size_t>(row) * k);
  unsigned largest = 0;
  for (int i = threadIdx.x; i < k / 4; i += 256) {
    const float4 v = from[i];
    largest = max(largest, max(max(magnitude_bits(v.x), magnitude_bits(v.y)),
                               max(magnitude_bits(v.z), magnitude_bits(v.w))));
  }
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2)
    largest = max(largest, static_cast<unsigned>(__shfl_xor_sync(~0u, static_cast<int>(largest), apart)));
  if (threadIdx.x % 32 == 0) shared_largest[threadIdx.x / 32] = largest;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < 8; ++w) largest = max(largest, shared_largest[w]);
  const int exponent = exponent_for(largest);
  if (threadIdx.x == 0) raised[row] = exponent;
  return exponent;
}

/// Row `row` of A: 256 threads. `parts`: [PARTS][m][pitch], pitch ≥ k. k is a multiple of 4.
template <int PARTS>
__device__ __forceinline__ void split_row(const float* a, uint2* parts, int* raised, int row, int m, int k,
                                          int pitch) {
  const float4* from = reinterpret_cast<const float4*>(a + static_cast<size_t>(row) * k);
  const int exponent = exponent_of_row(a, raised, row, k);
  uint2* to = parts + static_cast<size_t>(row) * (pitch / 4);
  for (int i = threadIdx.x; i < k / 4; i += 256) {
    const float4 v = from[i];
    split_four<F16, PARTS>(
        {raise(v.x, exponent), raise(v.y, exponent), raise(v.z, exponent), raise(v.w, exponent)}, to + i,
        static_cast<size_t>(m) * (pitch / 4));
  }
}

/// The largest magnitudes of 128 columns in one of kScanSlices slices of B's rows, to largest[slice][n].
__device__ __forceinline__ void scan_columns(const float* b, unsigned* largest, int block, int k, int n) {
  __shared__ uint4 shared_most[8][32];
  const int panels = (n + kSplitColumns - 1) / kSplitColumns, slice = block / panels;
  const int lane = threadIdx.x % 32, part = threadIdx.x / 32,
            column = block % panels * kSplitColumns + 4 * lane;
  const int height = (k + kScanSlices - 1) / kScanSlices, first = slice * height,
            last = min(first + height, k);
  uint4 most = {0, 0, 0, 0};
  if (column < n) {
#pragma unroll 4
    for (int row = first + part; row < last; row += 8) {
      const float4 v = *reinterpret_cast<const float4*>(b + static_cast<size_t>(row) * n + column);
      most.x = max(most.x, magnitude_bits(v.x)), most.y = max(most.y, magnitude_bits(v.y));
      most.z = max(most.z, magnitude_bits(v.z)), most.w = max(most.w, magnitude_bits(v.w));
    }
  }
  shared_most[part][lane] = most;
  __syncthreads();
  if (part == 0 && column < n) {
#pragma unroll
    for (int p = 1; p < 8; ++p) {
      const uint4 v = shared_most[p][lane];
      most.x = max(most.x, v.x), most.y = max(most.y, v.y), most.z = max(most.z, v.z),
      most.w = max(most.w, v.w);
    }
    *reinterpret_cast<uint4*>(largest + static_cast<size_t>(slice) * n + column) = most;
  }
}

/// 128 rows of 128 columns of B: 256 threads. `parts`: [PARTS][k][pitch], pitch ≥ n. n is a multiple of 4.
template <int PARTS>
__device__ __forceinline__ void split_columns(const float* b, const unsigned* largest, uint2* parts,
                                              int* raised, int k, int n, int pitch) {
  __shared__ uint4 shared_most[8][32];
  const int lane = threadIdx.x % 32, part = threadIdx.x / 32, column = blockIdx.x * kSplitColumns + 4 * lane;
  uint4 most = {0, 0, 0, 0};
  if (column < n) {
#pragma unroll
    for (int slice = part; slice < kScanSlices; slice += 8) {
      const uint4 v = *reinterpret_cast<const uint4*>(largest + static_cast<size_t>(slice) * n + column);
      most.x = max(most.x, v.x), most.y = max(most.y, v.y), most.z = max(most.z, v.z),
      most.w = max(most.w, v.w);
    }
  }
  shared_most[part][lane] = most;
  __syncthreads();
  if (column >= n) return;
#pragma unroll
  for (int p = 0; p < 8; ++p) {
    const uint4 v = shared_most[p][lane];
    most.x = max(most.x, v.x), most.y = max(most.y, v.y), most.z = max(most.z, v.z),
    most.w = max(most.w, v.w);
  }
  const int4 exponent = {exponent_for(most.x), exponent_for(most.y), exponent_for(most.z),
                         exponent_for(most.w)};
  if (blockIdx.y == 0 && part == 0) *reinterpret_cast<int4*>(raised + column) = exponent;
  const int first = blockIdx.y * kSplitRows + part,
            last = min(static_cast<int>(blockIdx.y + 1) * kSplitRows, k);
#pragma unroll 4
  for (int row = first; row < last; row += 8) {
    const float4 v = *reinterpret_cast<const float4*>(b + static_cast<size_t>(row) * n + column);
    split_four<F16, PARTS>(
        {raise(v.x, exponent.x), raise(v.y, exponent.y), raise(v.z, exponent.z), raise(v.w, exponent.w)},
        parts + (static_cast<size_t>(row) * pitch + column) / 4, static_cast<size_t>(k) * (pitch / 4));
  }
}
