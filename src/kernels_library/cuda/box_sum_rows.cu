// Box sums at about the price of a copy, first along the rows (kernels/box_sum/rows_first.h).
//
// For GPUs from cc 9.0.
#include "kernels/box_sum/rows_first.h"

#define ROWS_FIRST(LANE, ROWS)                                                                    \
  extern "C" __global__ void __launch_bounds__(rows_first_threads(ROWS), 1)                       \
      rows_first_##LANE##_##ROWS(Area area, int r, int width, int height, int slots, int ahead) { \
    rows_first<LANE, ROWS>(area, r, {width, height, slots, ahead});                               \
  }
ROWS_FIRST(12, 8)
ROWS_FIRST(20, 8)
ROWS_FIRST(12, 16)
