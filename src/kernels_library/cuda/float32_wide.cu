// Float32 products in tiles of 128 × 256 (see float32.h), of operands that lie across k; and what lays them
// so.
//
// For GPUs from cc 8.0.
#include "kernels_library/cuda/float32.h"

PRODUCTS_OF_CHUNKS(1, false, 16, 8, 16, 8, 2, 4, 4)

/// One matrix; `by_columns`: element (row, column) lies at column · stride + row, else at row · stride +
/// column.
struct Laid {
  const float* from;
  float* to;  ///< null: nothing to do
  int stride, by_columns, rows, columns, pitch;
};
struct LaidPair {
  Laid of[2];
};
/// To rows of `pitch` words. Grid: the greater number of tiles of 64 × 64, × 2; 256 threads.
extern "C" __global__ void __launch_bounds__(256) lay_by_rows(LaidPair pair) {
  __shared__ float values[64][65];
  const Laid m = blockIdx.y == 0 ? pair.of[0] : pair.of[1];  // an index would copy both to local memory
  const int across = (m.columns + 63) / 64, x = threadIdx.x % 64, y = threadIdx.x / 64;
  const int row0 = blockIdx.x / across * 64, column0 = blockIdx.x % across * 64;
  if (!m.to || row0 >= m.rows) return;
  if (!m.by_columns) {
    for (int i = y; i < 64; i += 4)
      if (row0 + i < m.rows && column0 + x < m.columns)
        m.to[static_cast<size_t>(row0 + i) * m.pitch + column0 + x] =
            m.from[static_cast<size_t>(row0 + i) * m.stride + column0 + x];
    return;
  }
#pragma unroll 4
  for (int i = y; i < 64; i += 4)
    if (row0 + x < m.rows && column0 + i < m.columns)
      values[i][x] = m.from[static_cast<size_t>(column0 + i) * m.stride + row0 + x];
  __syncthreads();
#pragma unroll 4
  for (int i = y; i < 64; i += 4)
    if (row0 + i < m.rows && column0 + x < m.columns)
      m.to[static_cast<size_t>(row0 + i) * m.pitch + column0 + x] = values[x][i];
}
