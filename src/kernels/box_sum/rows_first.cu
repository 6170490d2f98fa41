// The box sum, first along the rows (see rows_first.h).
//
// For GPUs from cc 9.0.
#include "kernels/box_sum/rows_first.h"

#define ROWS_FIRST(LANE, ROWS)                                                                             \
  extern "C" __global__ void __launch_bounds__(rows_first_threads(ROWS), 1)                                \
      box_sum_rows_first_##LANE##_##ROWS(const float* in, float* out, int n, int r, int width, int height, \
                                         int slots, int ahead) {                                           \
    rows_first<LANE, ROWS>(square_area(in, out, n, r), r, {width, height, slots, ahead});                  \
  }
ROWS_FIRST(12, 8)
ROWS_FIRST(20, 8)
ROWS_FIRST(12, 16)
