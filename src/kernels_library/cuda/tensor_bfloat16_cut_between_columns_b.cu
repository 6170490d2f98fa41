// Tiles of 128 × 96 and 192 × 128, B by columns (see tensor_bfloat16_cut.h).
//
// For GPUs from cc 9.0a.
#include "kernels_library/cuda/tensor_bfloat16_cut.h"

BFLOAT16_CUT_BETWEEN(ColumnsOfB)
