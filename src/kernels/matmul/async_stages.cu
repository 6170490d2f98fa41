// C = A·B: matmul/async_double with three stages instead of two (see async_tiles.h). Any n.
// For GPUs from cc 8.0.
#include "kernels/matmul/async_tiles.h"

ASYNC_TILES(matmul_async_stages_256, 2, false, 16, 8, 8, 8, 2, 4, 3)
