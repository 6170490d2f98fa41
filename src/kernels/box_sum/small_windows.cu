// The box sum of small windows, in registers and shuffles (see small_windows.h).
//
// For GPUs from cc 8.0.
#include "kernels/box_sum/small_windows.h"

#define BOX_SUM_SMALL_WINDOWS(R, V, IN, OUT)                                                              \
  extern "C" __global__ void __launch_bounds__(256)                                                       \
      box_sum_small_windows_##R##_##V##_##OUT(const float* in, float* out, int n, int, int, int height) { \
    small_windows<R, V, 8, IN, OUT>(square_area(in, out, n, R), height);                                  \
  }
BOX_SUM_SMALL_WINDOWS(1, 2, 2, 2)
BOX_SUM_SMALL_WINDOWS(1, 4, 1, 1)
BOX_SUM_SMALL_WINDOWS(2, 4, 4, 4)
BOX_SUM_SMALL_WINDOWS(2, 4, 1, 1)
BOX_SUM_SMALL_WINDOWS(3, 2, 2, 2)
BOX_SUM_SMALL_WINDOWS(3, 4, 1, 1)
BOX_SUM_SMALL_WINDOWS(4, 4, 4, 4)
BOX_SUM_SMALL_WINDOWS(4, 2, 1, 1)
BOX_SUM_SMALL_WINDOWS(5, 2, 2, 2)
BOX_SUM_SMALL_WINDOWS(5, 2, 1, 1)
BOX_SUM_SMALL_WINDOWS(6, 4, 4, 4)
