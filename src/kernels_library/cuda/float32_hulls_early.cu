// Float32 products of rows that begin at any word (see float32_hulls.h) in launches that may begin early, and
// what lays A for them and for others.
//
// For GPUs from cc 9.0.
#include "kernels/launch_order.h"
#include "kernels_library/cuda/float32_hulls.h"
#include "kernels_library/cuda/lay_by_rows.h"

PRODUCTS_OF_HULLS(wait_for_launch(); let_next_launch())

/// In tiles of 32 × 32 for small matrices, 64 × 64 for others.
#define LAY_BY_ROWS(SIDE)                                                               \
  extern "C" __global__ void __launch_bounds__(256) lay_by_rows_##SIDE(LaidPair pair) { \
    wait_for_launch();                                                                  \
    let_next_launch();                                                                  \
    lay_tile<SIDE>(pair);                                                               \
  }
LAY_BY_ROWS(32)
LAY_BY_ROWS(64)
