// C = A·B: matmul/warp_tiles whose next tiles come by asynchronous copies while these are multiplied (see
// async_tiles.h). Any n.
// For GPUs from cc 8.0.
#include "kernels/matmul/async_tiles.h"

ASYNC_TILES(matmul_async_double_256, 2, false, 16, 8, 8, 8, 2, 4, 2)
