// Products with few columns and A across k (see tensor_narrow.h).
//
// For GPUs from cc 9.0a.
#include "kernels_library/cuda/tensor_narrow.h"

MULTIPLY_NARROW_EACH(true)
