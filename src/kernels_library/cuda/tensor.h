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

/// m × n results of rows of `pitch` to where they belong. Grid: ⌈m·n / 256⌉ blocks of 256 threads.
template <class T>
__device__ __forceinline__ void place_results(const T* from, int pitch, T* to, int stride, int m, int n) {
  wait_for_launch();
  const size_t i = static_cast<size_t>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= static_cast<size_t>(m) * n) return;
  to[i / n * stride + i % n] = from[i / n * pitch + i % n];
}

/// Makes C = A·Aᵀ symmetric to the last bit: in a tile on the diagonal, high · low of an element is low ·
/// high of the mirrored one, and their order matters. Grid: ⌈n / 128⌉ blocks of 256 threads.
__device__ __forceinline__ void mirror_diagonal(float* c, int stride, int n) {
  wait_for_launch();
  const int first = blockIdx.x * 128, side = min(128, n - first);
  float* tile = c + static_cast<size_t>(first) * stride + first;
  for (int i = threadIdx.x; i < side * side; i += 256) {
    const int row = i / side, column = i % side;
    if (column < row)
      tile[static_cast<size_t>(column) * stride + row] = tile[static_cast<size_t>(row) * stride + column];
  }
}
