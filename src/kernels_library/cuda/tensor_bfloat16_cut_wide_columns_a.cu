// Tiles of 128 × 192, 128 × 256 and 192 × 192, A by columns (see tensor_bfloat16_cut.h).
//
// For GPUs from cc 9.0a.
#include "kernels_library/cuda/tensor_bfloat16_cut.h"

BFLOAT16_CUT_WIDE(ColumnsOfA)
