// C = A·B: matmul/async_stages that reads a thread's operands of the next k from shared memory while it
// multiplies those of this one, across the stages' borders too (see async_tiles.h). Any n.
//
// For GPUs from cc 8.0.
#include "kernels/matmul/async_tiles.h"

ASYNC_TILES(matmul_operands_ahead_256, 2, true, 16, 8, 8, 8, 2, 4, 3)
