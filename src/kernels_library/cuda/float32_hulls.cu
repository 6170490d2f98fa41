// Float32 products of rows that begin at any word (see float32_hulls.h).
//
// For GPUs from cc 8.0.
#include "kernels_library/cuda/float32_hulls.h"

PRODUCTS_OF_HULLS((void)0)
