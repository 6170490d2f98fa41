// bfloat16 products of matrices that lie anyhow.
//
// For GPUs from cc 8.0.
#define BEGIN_ANY
#include "kernels_library/cuda/tensor_any.h"
