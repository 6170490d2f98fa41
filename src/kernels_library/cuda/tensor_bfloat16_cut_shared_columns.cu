// Tiles cut along k by clusters that share operands, too (see tensor_bfloat16_cut.h).
//
// For GPUs from cc 9.0a.
#include "kernels_library/cuda/tensor_bfloat16_cut.h"

BFLOAT16_CUT_SHARED(ByColumns)
