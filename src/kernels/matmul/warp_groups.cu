// C = A·B for small n: matmul/operands_ahead with small tiles, so that every multiprocessor has one, and
// groups of warps that share a tile: each multiplies its part of every step along k, and at the end they add
// up (see async_tiles.h). Any n.
//
// For GPUs from cc 8.0.
#include "kernels/matmul/async_tiles.h"

#define WARP_GROUPS(NAME, GROUPS, ...)                                                   \
  extern "C" __global__ void __launch_bounds__(256, 1)                                   \
      NAME(const float* a, const float* b, float* c, int n) {                            \
    square_tiles<Tiles<__VA_ARGS__, kChunks, kTransposed, GROUPS>, true>(a, b, c, n, 1); \
  }                                                                                      \
  extern "C" __global__ void __launch_bounds__(256, 1)                                   \
      NAME##_words(const float* a, const float* b, float* c, int n) {                    \
    square_tiles<Tiles<__VA_ARGS__, kWords, kTransposed, GROUPS>, true>(a, b, c, n, 1);  \
  }
WARP_GROUPS(matmul_warp_groups_2, 2, 32, 8, 8, 8, 2, 2, 3)
WARP_GROUPS(matmul_warp_groups_4, 4, 32, 8, 8, 4, 2, 1, 4)
WARP_GROUPS(matmul_warp_groups_8, 8, 32, 8, 8, 8, 1, 1, 4)
