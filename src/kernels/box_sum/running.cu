// The box sum by running sums (see running.h), with the last 2R+1 rows held in shared memory or read again.
// For GPUs from cc 8.0.
#include "kernels/box_sum/running.h"

#define RUNNING(NAME, BLOCKS, ...)                                                               \
  extern "C" __global__ void __launch_bounds__(BLOCKS)                                           \
      box_sum_running_##NAME(const float* in, float* out, int n, int r, int width, int height) { \
    running<__VA_ARGS__>(square_area(in, out, n, r), r, width, height);                          \
  }
RUNNING(hold_256, 256, 256, 2, 3, true)
RUNNING(128, 128, 128, 4, 2, false)
RUNNING(512, 512, 512, 1, 4, false)
