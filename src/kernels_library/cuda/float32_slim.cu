// Float32 products in tiles of 128 × 32, four groups of warps (see float32.h).
//
// For GPUs from cc 8.0.
#include "kernels_library/cuda/float32.h"

PRODUCTS(1, true, 4, false, 32, 8, 8, 8, 2, 1, 4)
