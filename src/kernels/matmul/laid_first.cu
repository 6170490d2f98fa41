// C = A·B: a first kernel lays A across k, [k][m], so that both operands come 16 bytes at a time; then
// matmul/wide_tiles with a loop that fits the instruction caches: steps of 16 along k, 8 × 16 results per
// thread, multiplied column by column, four stages (see async_tiles.h). Any n.
//
// For GPUs from cc 8.0.
#include "kernels/matmul/async_tiles.h"

/// A (n × n) to rows of `pitch` words along m. Grid: tiles of 64 × 64; 256 threads.
extern "C" __global__ void __launch_bounds__(256) matmul_lay(const float* a, float* to, int n, int pitch) {
  __shared__ float values[64][65];
  const int across = (n + 63) / 64, x = threadIdx.x % 64, y = threadIdx.x / 64;
  const int row0 = blockIdx.x / across * 64, column0 = blockIdx.x % across * 64;
#pragma unroll 4
  for (int i = y; i < 64; i += 4)
    if (row0 + i < n && column0 + x < n) values[i][x] = a[static_cast<size_t>(row0 + i) * n + column0 + x];
  __syncthreads();
#pragma unroll 4
  for (int i = y; i < 64; i += 4)
    if (row0 + x < n && column0 + i < n)
      to[static_cast<size_t>(column0 + i) * pitch + row0 + x] = values[x][i];
}

#define LAID_FIRST(NAME, B)                                                     \
  extern "C" __global__ void __launch_bounds__(256, 1)                          \
      NAME(const float* laid, const float* b, float* c, int n, int pitch) {     \
    async_tiles<Tiles<16, 8, 16, 8, 2, 4, 4, B, kChunks, 1, true, true>, true>( \
        {laid, pitch}, {b, n}, {c, n, B == kChunks}, n, n, n, 8);               \
  }
LAID_FIRST(matmul_laid_first_256, kChunks)
LAID_FIRST(matmul_laid_first_256_words, kWords)
