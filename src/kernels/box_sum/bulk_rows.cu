// The box sum at about the price of a copy: rows come and go by the copy engine (see bulk_rows.h).
//
// For GPUs from cc 9.0.
#include "kernels/box_sum/bulk_rows.h"

#define BULK_ROWS(LANE)                                                                           \
  extern "C" __global__ void __launch_bounds__(kBulkRowsThreads, 1) box_sum_bulk_rows_##LANE(     \
      const float* in, float* out, int n, int r, int columns, int width, int height, int slots) { \
    bulk_rows<LANE>(square_area(in, out, n, r), r, {columns, width, height, slots});              \
  }
BULK_ROWS(12)
BULK_ROWS(20)
