// Matrices laid so that their rows lie across k, of multiples of 16 bytes.
#pragma once

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
/// To rows of `pitch` words. Grid: the greater number of tiles of SIDE × SIDE, × 2; 256 threads.
template <int SIDE>
__device__ __forceinline__ void lay_tile(const LaidPair& pair) {
  constexpr int kStep = 256 / SIDE;
  __shared__ float values[SIDE][SIDE + 1];
  const Laid m = blockIdx.y == 0 ? pair.of[0] : pair.of[1];  // an index would copy both to local memory
  const int across = (m.columns + SIDE - 1) / SIDE, x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
  const int row0 = blockIdx.x / across * SIDE, column0 = blockIdx.x % across * SIDE;
  if (!m.to || row0 >= m.rows) return;
  if (!m.by_columns) {
    for (int i = y; i < SIDE; i += kStep)
      if (row0 + i < m.rows && column0 + x < m.columns)
        m.to[static_cast<size_t>(row0 + i) * m.pitch + column0 + x] =
            m.from[static_cast<size_t>(row0 + i) * m.stride + column0 + x];
    return;
  }
#pragma unroll 4
  for (int i = y; i < SIDE; i += kStep)
    if (row0 + x < m.rows && column0 + i < m.columns)
      values[i][x] = m.from[static_cast<size_t>(column0 + i) * m.stride + row0 + x];
  __syncthreads();
#pragma unroll 4
  for (int i = y; i < SIDE; i += kStep)
    if (row0 + i < m.rows && column0 + x < m.columns)
      m.to[static_cast<size_t>(row0 + i) * m.pitch + column0 + x] = values[x][i];
}
