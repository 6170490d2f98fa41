// The box sum, first along the rows, which begin at any word (see rows_first.h).
//
// For GPUs from cc 9.0.
#include "kernels/box_sum/rows_first.h"

#define ANY_ROWS(NAME, FORM)                                                                           \
  extern "C" __global__ void __launch_bounds__(FORM.threads(FORM.most()), 1)                           \
      NAME(const float* in, float* out, int n, int r, int width, int height, int slots, int ahead) {   \
    rows_first<FORM.lane, FORM.chunk, FORM.rows, FORM.warps, ColumnsOf<FORM.columns>::Type, FORM.any>( \
        square_area(in, out, n, r), r, {width, height, slots, ahead});                                 \
  }
ANY_ROWS(box_sum_any_rows_12_8, kAnyRows12)
ANY_ROWS(box_sum_any_rows_20_8, kAnyRows20)
ANY_ROWS(box_sum_any_rows_28_8, kAnyRows28)
