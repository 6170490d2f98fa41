// Float32 products in tiles of 64 × 64 (see float32.h).
//
// For GPUs from cc 8.0.
#include "kernels_library/cuda/float32.h"

PRODUCTS(4, true, 16, 4, 8, 8, 2, 2, 4)
