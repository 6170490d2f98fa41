// The box sum, first along the rows (see rows_first.h).
//
// For GPUs from cc 9.0.
#include "kernels/box_sum/rows_first.h"

#define ROWS_FIRST(NAME, FORM)                                                                         \
  extern "C" __global__ void __launch_bounds__(FORM.threads(FORM.most()), 1)                           \
      NAME(const float* in, float* out, int n, int r, int width, int height, int slots, int ahead) {   \
    rows_first<FORM.lane, FORM.chunk, FORM.rows, FORM.warps, ColumnsOf<FORM.columns>::Type, FORM.any>( \
        square_area(in, out, n, r), r, {width, height, slots, ahead});                                 \
  }
ROWS_FIRST(box_sum_rows_first_12_8_2, kRowsFirst12)
ROWS_FIRST(box_sum_rows_first_20_8_2, kRowsFirst20)
ROWS_FIRST(box_sum_rows_first_12_16_2, kRowsFirstDeep)
ROWS_FIRST(box_sum_rows_first_12_16_1, kRowsFirstDeepest)
