// Products of matrices that lie anyhow, in launches that may begin early. float32 ones take bf16 thirds.
//
// For GPUs from cc 9.0.
#include "kernels/launch_order.h"
#define BEGIN_ANY wait_for_launch(), let_next_launch()
#include "kernels_library/cuda/tensor_any.h"

MULTIPLY_ANY(multiply_float32, float, float, 64, 64, 2)
MULTIPLY_ANY(multiply_float32, float, float, 128, 64, 1)
