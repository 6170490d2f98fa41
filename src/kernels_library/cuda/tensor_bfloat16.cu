// Products of bfloat16 matrices that lie by rows (see tensor_bfloat16.h), and what comes before and after
// those of all.
//
// For GPUs from cc 9.0a.
#include "kernels_library/cuda/split.h"
#include "kernels_library/cuda/tensor_bfloat16.h"

/// A matrix that the copy engine cannot take as it lies: element (row, column) at column · stride + row
/// (by_columns) or row · stride + column, to rows of `pitch`.
struct LaidBfloat16 {
  const unsigned short* from;
  unsigned short* to;
  int stride, by_columns, rows, columns, pitch, tiles;  ///< `tiles`: of 32 × 32; 0: it stays where it is
};
struct LaidBfloat16Pair {
  LaidBfloat16 of[2];
};
/// Grid: the tiles of both, 256 threads.
extern "C" __global__ void __launch_bounds__(256) lay_by_rows(LaidBfloat16Pair pair) {
  __shared__ unsigned short values[32][34];
  wait_for_launch();
  const bool second = static_cast<int>(blockIdx.x) >= pair.of[0].tiles;
  const LaidBfloat16 m = second ? pair.of[1] : pair.of[0];  // an index would copy both to local memory
  const int tile = blockIdx.x - (second ? pair.of[0].tiles : 0);
  const int across = (m.columns + 31) / 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row0 = tile / across * 32, column0 = tile % across * 32;
#pragma unroll
  for (int i = warp; i < 32; i += 8) {
    const int row = m.by_columns ? row0 + lane : row0 + i,
              column = m.by_columns ? column0 + i : column0 + lane;
    if (row >= m.rows || column >= m.columns) continue;
    const size_t at = m.by_columns ? static_cast<size_t>(column) * m.stride + row
                                   : static_cast<size_t>(row) * m.stride + column;
    values[row - row0][column - column0] = m.from[at];
  }
  __syncthreads();
#pragma unroll
  for (int i = warp; i < 32; i += 8)
    if (row0 + i < m.rows && column0 + lane < m.columns)
      m.to[static_cast<size_t>(row0 + i) * m.pitch + column0 + lane] = values[i][lane];
}

BFLOAT16_TILES(ByRows)

extern "C" __global__ void __launch_bounds__(256)
    place_results_4(const float* from, int pitch, float* to, int stride, int m, int n) {
  place_results(from, pitch, to, stride, m, n);
}
extern "C" __global__ void __launch_bounds__(256)
    place_results_2(const unsigned short* from, int pitch, unsigned short* to, int stride, int m, int n) {
  place_results(from, pitch, to, stride, m, n);
}
