// Box sums at about the price of a copy, first along the rows (kernels/box_sum/rows_first.h).
//
// For GPUs from cc 9.0.
#include "kernels/box_sum/rows_first.h"

#define ROWS_FIRST(NAME, FORM)                                                                         \
  extern "C" __global__ void __launch_bounds__(FORM.threads(FORM.most()), 1)                           \
      NAME(Area area, int r, int width, int height, int slots, int ahead) {                            \
    rows_first<FORM.lane, FORM.chunk, FORM.rows, FORM.warps, ColumnsOf<FORM.columns>::Type, FORM.any>( \
        area, r, {width, height, slots, ahead});                                                       \
  }
ROWS_FIRST(rows_first_12_8_2, kRowsFirst12)
ROWS_FIRST(rows_first_20_8_2, kRowsFirst20)
ROWS_FIRST(rows_first_12_16_2, kRowsFirstDeep)
ROWS_FIRST(rows_first_12_16_1, kRowsFirstDeepest)
ROWS_FIRST(any_rows_12_8, kAnyRows12)
ROWS_FIRST(any_rows_20_8, kAnyRows20)
ROWS_FIRST(any_rows_28_8, kAnyRows28)
