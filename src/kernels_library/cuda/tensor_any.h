// Products of matrices that lie anyhow, in one launch (kernels/matmul/tensor_any.h).
#pragma once

#include "kernels/matmul/tensor_any.h"

/// BLOCKS: that a multiprocessor is to take at once.
#define MULTIPLY_ANY(NAME, IN, OUT, ROWS, COLUMNS, BLOCKS)                                          \
  extern "C" __global__ void __launch_bounds__(256, BLOCKS)                                         \
      NAME##_##ROWS##x##COLUMNS(const IN* a, AnySteps of_a, const IN* b, AnySteps of_b, OUT* c,     \
                                long long stride, int m, int n, int k, int piece) {                 \
    BEGIN_ANY;                                                                                      \
    multiply_any<AnyTile<IN, OUT, ROWS, COLUMNS, 32>>(a, of_a, b, of_b, c, stride, m, n, k, piece); \
  }
#define MULTIPLY_ANY_BFLOAT16(ROWS, COLUMNS, BLOCKS)                            \
  MULTIPLY_ANY(multiply_bfloat16, unsigned short, float, ROWS, COLUMNS, BLOCKS) \
  MULTIPLY_ANY(multiply_bfloat16_to_bfloat16, unsigned short, unsigned short, ROWS, COLUMNS, BLOCKS)

MULTIPLY_ANY_BFLOAT16(64, 64, 4)
MULTIPLY_ANY_BFLOAT16(128, 64, 2)
