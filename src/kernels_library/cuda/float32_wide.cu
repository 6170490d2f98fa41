// Float32 products in tiles of 128 × 256 (see float32.h), of operands that lie across k; and what lays them
// so.
//
// For GPUs from cc 8.0.
#include "kernels_library/cuda/float32.h"
#include "kernels_library/cuda/lay_by_rows.h"

PRODUCTS_OF_CHUNKS(1, false, 16, 8, 16, 8, 2, 4, 4)

extern "C" __global__ void __launch_bounds__(256) lay_by_rows(LaidPair pair) { lay_tile<64>(pair); }
