// C = A·Aᵀ in float32: the lower tiles, stored twice (kernels/aat/lower_tiles.h).
//
// For GPUs from cc 8.0.
#include "kernels/aat/lower_tiles.h"

/// A lies by columns, in chunks of four.
#define LOWER(NAME, BLOCKS, GROUPS, COLUMNS, ...)                                         \
  extern "C" __global__ void __launch_bounds__(                                           \
      Tiles<__VA_ARGS__, kChunks, kChunks, GROUPS, COLUMNS, true>::kThreads, BLOCKS)      \
      NAME(Operand a, Results c, int n, int k) {                                          \
    lower_tiles<Tiles<__VA_ARGS__, kChunks, kChunks, GROUPS, COLUMNS, true>>(a, c, n, k); \
  }
LOWER(lower_large, 2, 1, true, 16, 8, 16, 8, 2, 2, 4)  // 128 × 128
LOWER(lower_small, 4, 2, false, 32, 8, 8, 4, 2, 1, 3)  // 64 × 64

/// Copies what lies below the diagonal to its mirrored place. Grid: tiles of 32 × 32, all of them; 256
/// threads.
extern "C" __global__ void __launch_bounds__(256) mirror_lower(float* c, int stride, int n) {
  __shared__ float values[32][33];
  const int across = (n + 31) / 32, x = threadIdx.x % 32, y = threadIdx.x / 32;
  const int row0 = blockIdx.x / across * 32, column0 = blockIdx.x % across * 32;
  if (column0 > row0) return;
  for (int i = y; i < 32; i += 8)
    if (row0 + i < n && column0 + x < n)
      values[i][x] = c[static_cast<size_t>(row0 + i) * stride + column0 + x];
  __syncthreads();
  for (int i = y; i < 32; i += 8)
    if (row0 + x < n && column0 + i < row0 + x)
      c[static_cast<size_t>(column0 + i) * stride + row0 + x] = values[x][i];
}
