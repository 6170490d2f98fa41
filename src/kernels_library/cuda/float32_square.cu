// Float32 products in tiles of 64 × 64, four groups of warps (see float32.h).
//
// For GPUs from cc 8.0.
#include "kernels_library/cuda/float32.h"

PRODUCTS(2, true, 4, false, 32, 8, 8, 4, 2, 1, 4)
