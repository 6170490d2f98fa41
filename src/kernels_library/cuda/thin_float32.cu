// Products with few columns of float32 matrices, and what adds up the pieces of both.
//
// For GPUs from cc 9.0.
#include "kernels_library/cuda/thin.h"

MULTIPLY_THIN_ALL(multiply_float32, float)

#define ADD_THIN(SHARE)                                                                 \
  extern "C" __global__ void __launch_bounds__(256)                                     \
      add_thin_##SHARE(ThinResults c, const float* partial, int pieces, int m, int n) { \
    add_thin_pieces<SHARE>(c, partial, pieces, m, n);                                   \
  }
ADD_THIN(1)
ADD_THIN(4)
ADD_THIN(32)
