// Products on tensor cores: their maps, and what comes after them.
#pragma once

#include "kernels/matmul/tensor_parts.h"

/// Maps of A, B and C, the first argument of a kernel.
struct Maps {
  TensorMap of[3];
};
/// They must stay where the launch has put them: the copy engine takes no local copy. (What nvcc calls
/// __grid_constant__, which clang has from version 20 on.)
#define MAPS_OF(kernel)                                                                            \
  ({                                                                                               \
    unsigned long long address;                                                                    \
    asm("{ .reg .b64 p; mov.b64 p, " #kernel "_param_0; cvta.param.u64 %0, p; }" : "=l"(address)); \
    reinterpret_cast<const TensorMap*>(address);                                                   \
  })

/// m × n results of rows of `pitch` to where they belong. Grid: ⌈m·n / 1024⌉ blocks of 256 threads, four
/// results each.
template <class T>
__device__ __forceinline__ void place_results(const T* from, int pitch, T* to, int stride, int m, int n) {
  wait_for_launch();
  const size_t count = static_cast<size_t>(m) * n,
               first = static_cast<size_t>(blockIdx.x) * 1024 + threadIdx.x;
  const bool narrow = count <= 0xffffffff;  // a division of 64 bits takes longer than the rest
  T values[4];
  size_t places[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const size_t at = first + 256 * i;
    if (at >= count) break;
    const size_t row = narrow ? static_cast<unsigned>(at) / static_cast<unsigned>(n) : at / n;
    const size_t column = at - row * n;
    values[i] = from[row * pitch + column];
    places[i] = row * stride + column;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + 256 * i < count) to[places[i]] = values[i];
}

/// Makes C = A·Aᵀ symmetric to the last bit: in a tile on the diagonal, high · low of an element is low ·
/// high of the mirrored one, and their order matters. Grid: for each of these tiles of 128 × 128 kMirrored
/// blocks of 256 threads, one for each of its squares of 32 × 32 on and below the diagonal.
constexpr int kMirrored = 10;
__device__ __forceinline__ void mirror_diagonal(float* c, int stride, int n) {
  __shared__ float values[32][33];
  wait_for_launch();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = blockIdx.x / kMirrored * 128;
  int down = 0, across = blockIdx.x % kMirrored;  // the square
  while (across > down) across -= ++down;
  const int row0 = first + 32 * down, column0 = first + 32 * across;
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    const int row = row0 + warp + i, column = column0 + lane;
    if (row < n && column < row) values[warp + i][lane] = c[static_cast<size_t>(row) * stride + column];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    const int row = column0 + warp + i, column = row0 + lane;
    if (column < n && row < column) c[static_cast<size_t>(row) * stride + column] = values[lane][warp + i];
  }
}
