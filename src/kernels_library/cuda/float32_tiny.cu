// Float32 products in tiles of 64 × 32, eight groups of a warp (see float32.h).
//
// For GPUs from cc 8.0.
#include "kernels_library/cuda/float32.h"

PRODUCTS(1, true, 8, false, 32, 8, 8, 8, 1, 1, 4)
