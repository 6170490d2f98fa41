// Float32 products in tiles of 128 × 128 (see float32.h).
//
// For GPUs from cc 8.0.
#include "kernels_library/cuda/float32.h"

PRODUCTS(2, false, 1, false, 16, 8, 8, 8, 2, 4, 3)
