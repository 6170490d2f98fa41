// Float32 products in tiles of 128 × 128 (see float32.h) with 8 × 16 results a thread, of operands that lie
// across k.
//
// For GPUs from cc 8.0.
#include "kernels_library/cuda/float32.h"

PRODUCTS_OF_CHUNKS(2, true, 16, 8, 16, 8, 2, 2, 4)
