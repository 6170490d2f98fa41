// Matrices laid so that their rows lie across k, of multiples of 16 bytes.
#pragma once

/// One matrix; `by_columns`: element (row, column) lies at column · stride + row, else at row · stride +
/// column. `fours`: it lies by columns, which begin and end at multiples of 16 bytes.
struct Laid {
  const float* from;
  float* to;  ///< null: nothing to do
  int stride, by_columns, rows, columns, pitch, fours;
};
struct LaidPair {
  Laid of[2];
};
/// A tile of 64 × 64 words, four rows of four columns a thread, of a matrix that lies in fours. Fours of a
/// row change places by its number, so that eight lanes write to all banks, and read from them.
__device__ __forceinline__ void lay_fours(const Laid& m, int row0, int column0, float4* values) {
  const int x = threadIdx.x % 16, y = threadIdx.x / 16, row = row0 + 4 * x, column = column0 + 4 * y;
  float4 v[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v[i] = make_float4(0, 0, 0, 0);
    if (row < m.rows && column + i < m.columns)
      v[i] = *reinterpret_cast<const float4*>(m.from + static_cast<size_t>(column + i) * m.stride + row);
  }
  float4* const at = values + 4 * x * 16 + (y ^ x);
  at[0] = make_float4(v[0].x, v[1].x, v[2].x, v[3].x), at[16] = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
  at[32] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z), at[48] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  __syncthreads();
#pragma unroll
  for (int r = y; r < 64; r += 16)
    if (row0 + r < m.rows && column0 + 4 * x < m.columns)
      *reinterpret_cast<float4*>(m.to + static_cast<size_t>(row0 + r) * m.pitch + column0 + 4 * x) =
          values[r * 16 + (x ^ r / 4)];
}

/// To rows of `pitch` words, a multiple of four. Grid: the greater number of tiles of SIDE × SIDE, × 2; 256
/// threads.
template <int SIDE>
__device__ __forceinline__ void lay_tile(const LaidPair& pair) {
  constexpr int kStep = 256 / SIDE;
  __shared__ __align__(16) float values[SIDE][SIDE + 1];
  const Laid m = blockIdx.y == 0 ? pair.of[0] : pair.of[1];  // an index would copy both to local memory
  const int across = (m.columns + SIDE - 1) / SIDE, x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
  const int row0 = blockIdx.x / across * SIDE, column0 = blockIdx.x % across * SIDE;
  if (!m.to || row0 >= m.rows) return;
  if (SIDE == 64 && m.fours) return lay_fours(m, row0, column0, reinterpret_cast<float4*>(values));
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
