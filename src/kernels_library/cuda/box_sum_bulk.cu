// Box sums whose rows come and go by the copy engine (kernels/box_sum/bulk_rows.h).
//
// For GPUs from cc 9.0.
#include "kernels/box_sum/bulk_rows.h"

#define BULK_ROWS(LANE)                                                                   \
  extern "C" __global__ void __launch_bounds__(kBulkRowsThreads, 1)                       \
      bulk_rows_##LANE(Area area, int r, int columns, int width, int height, int slots) { \
    bulk_rows<LANE>(area, r, {columns, width, height, slots});                            \
  }
BULK_ROWS(12)
BULK_ROWS(20)
