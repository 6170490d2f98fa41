// Float32 matrices as sums of three bf16 ones, of 8 bits each: the element to the last bit. bf16 has
// float32's exponents, so nothing is raised or scanned; only of elements below 2^-110 the last part loses
// bits, and those within 2^-9 of the largest float become infinite.
#pragma once

#include "kernels/matmul/halves.h"

/// Four elements a thread of rows of n to three matrices [n][pitch]: column 4 · (256 · blockIdx.x +
/// threadIdx.x) of row blockIdx.y.
__device__ __forceinline__ void split_thirds(const float* from, uint2* parts, int n, int pitch) {
  const int column = 4 * (blockIdx.x * 256 + threadIdx.x);
  if (column >= n) return;
  const float4 v = *reinterpret_cast<const float4*>(from + static_cast<size_t>(blockIdx.y) * n + column);
  split_four<Bf16, 3>(v, parts + (static_cast<size_t>(blockIdx.y) * pitch + column) / 4,
                      static_cast<size_t>(n) * (pitch / 4));
}
