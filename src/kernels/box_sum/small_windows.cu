// The box sum of small windows, in registers and shuffles (see small_windows.h and small_windows_of_four.h).
//
// For GPUs from cc 8.0.
#include "kernels/box_sum/small_windows_of_four.h"

#define BOX_SUM_SMALL_WINDOWS_OF_FOUR(R, OUT, AHEAD)                                                  \
  extern "C" __global__ void __launch_bounds__(kSmallFours)                                           \
      box_sum_small_windows_##R##_4_##OUT(const float* in, float* out, int n, int, int, int height) { \
    small_windows_of_four<R, OUT, 8, AHEAD>(square_area(in, out, n, R), height);                      \
  }
#define BOX_SUM_SMALL_WINDOWS(R, V, WORDS)                                                                  \
  extern "C" __global__ void __launch_bounds__(256)                                                         \
      box_sum_small_windows_##R##_##V##_##WORDS(const float* in, float* out, int n, int, int, int height) { \
    small_windows<R, V, 8, WORDS>(square_area(in, out, n, R), height);                                      \
  }
EACH_SMALL_WINDOWS(BOX_SUM_SMALL_WINDOWS_OF_FOUR, BOX_SUM_SMALL_WINDOWS)
