// Tiles of 64 × 128 and 192, 128 × 96 to 176 and 192 × 128, both operands by columns (see tensor_bfloat16.h).
//
// For GPUs from cc 9.0a.
#include "kernels_library/cuda/tensor_bfloat16.h"

BFLOAT16_BETWEEN(ByColumns)
