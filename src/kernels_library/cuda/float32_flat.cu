// Float32 products in tiles of 32 × 128, four groups of warps (see float32.h).
//
// For GPUs from cc 8.0.
#include "kernels_library/cuda/float32.h"

PRODUCTS(1, true, 4, false, 32, 8, 8, 4, 1, 2, 4)
