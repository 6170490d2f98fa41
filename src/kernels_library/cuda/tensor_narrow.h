// Products of bfloat16 matrices with few columns (kernels/matmul/tensor_narrow.h), for each width in a file
// for each way that A lies.
#pragma once

#include "kernels/matmul/tensor_narrow.h"
#include "kernels_library/cuda/tensor.h"

/// maps: A in boxes of 64 k × a tile's rows, or, across k, of 64 rows × 64 k; B in boxes of 64 k × N.
#define MULTIPLY_NARROW(N, BOXES, ACROSS)                                         \
  extern "C" __global__ void __launch_bounds__(288, 2)                            \
      multiply_##N(Maps, ThinResults c, NarrowCut cut, int m, int n, int k) {     \
    const TensorMap* maps = MAPS_OF(multiply_##N);                                \
    multiply_narrow<Narrow<N, BOXES, ACROSS>>(maps[0], maps[1], c, cut, m, n, k); \
  }
#define MULTIPLY_NARROW_EACH(ACROSS) \
  MULTIPLY_NARROW(16, 2, ACROSS)     \
  MULTIPLY_NARROW(32, 2, ACROSS)     \
  MULTIPLY_NARROW(64, 1, ACROSS)
