// Products with few columns of bfloat16 matrices.
//
// For GPUs from cc 9.0.
#include "kernels_library/cuda/thin.h"

MULTIPLY_THIN_ALL(multiply_bfloat16, unsigned short)
MULTIPLY_THIN(multiply_bfloat16, unsigned short, 1, 8)
