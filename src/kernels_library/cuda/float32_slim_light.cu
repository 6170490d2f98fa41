// Float32 products in tiles of 128 × 32 (see float32.h), 8 × 4 results a thread: registers for five blocks on
// a multiprocessor, whose beginnings and ends hide behind the others' steps.
//
// For GPUs from cc 8.0.
#include "kernels_library/cuda/float32.h"

PRODUCTS(5, true, 1, false, 16, 8, 4, 4, 4, 1, 3)
