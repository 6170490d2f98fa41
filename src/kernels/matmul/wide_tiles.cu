// C = A·B: matmul/operands_ahead with 16 × 8 results per thread, tiles of 128 × 256 and steps of 32 along k;
// `band` says in which order blocks take the tiles (see async_tiles.h). Any n.
//
// For GPUs from cc 8.0.
#include "kernels/matmul/async_tiles.h"

ASYNC_TILES(matmul_wide_tiles_256, 1, true, 32, 16, 8, 4, 2, 4, 3)
