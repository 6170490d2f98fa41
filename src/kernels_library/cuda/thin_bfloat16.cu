// Products with few columns of bfloat16 matrices.
//
// For GPUs from cc 9.0.
#include "kernels/matmul/thin.h"

MULTIPLY_THIN_EACH(multiply_bfloat16, unsigned short, 1)
MULTIPLY_THIN_EACH(multiply_bfloat16, unsigned short, 4)
MULTIPLY_THIN(multiply_bfloat16, unsigned short, 1, 32)
