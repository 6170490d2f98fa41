// Products of bfloat16 matrices that lie by columns (see tensor_bfloat16.h).
//
// For GPUs from cc 9.0a.
#include "kernels_library/cuda/tensor_bfloat16.h"

BFLOAT16_TILES(ByColumns)
