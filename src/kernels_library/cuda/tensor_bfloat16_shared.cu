// Tiles by clusters that share operands (see tensor_bfloat16.h).
//
// For GPUs from cc 9.0a.
#include "kernels_library/cuda/tensor_bfloat16.h"

BFLOAT16_SHARED(ByRows)
