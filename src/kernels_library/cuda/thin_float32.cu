// Products with few columns of float32 matrices, and what adds up the pieces of both.
//
// For GPUs from cc 9.0.
#include "kernels/matmul/thin.h"

MULTIPLY_THIN_EACH(multiply_float32, float, 1)
MULTIPLY_THIN_EACH(multiply_float32, float, 4)
MULTIPLY_THIN_EACH(multiply_float32, float, 8)
MULTIPLY_THIN_EACH(multiply_float32, float, 16)
MULTIPLY_THIN(multiply_float32, float, 1, 32)

#define ADD_THIN(SHARE)                                                                 \
  extern "C" __global__ void __launch_bounds__(256)                                     \
      add_thin_##SHARE(ThinResults c, const float* partial, int pieces, int m, int n) { \
    add_thin_pieces<SHARE>(c, partial, pieces, m, n);                                   \
  }
ADD_THIN(1)
ADD_THIN(4)
ADD_THIN(32)
