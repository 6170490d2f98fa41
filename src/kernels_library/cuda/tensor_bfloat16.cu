// Products of bfloat16 matrices that lie by rows (see tensor_bfloat16.h), and what comes before and after
// those of all.
//
// For GPUs from cc 9.0a.
#include "kernels_library/cuda/split.h"
#include "kernels_library/cuda/tensor_bfloat16.h"

/// A matrix that the copy engine cannot take as it lies: element (row, column) at column · stride + row
/// (by_columns) or row · stride + column, to rows of `pitch`. Grid: tiles of 32 × 32, 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    lay_by_rows(const unsigned short* from, int stride, int by_columns, unsigned short* to, int pitch,
                int rows, int columns) {
  __shared__ unsigned short values[32][34];
  wait_for_launch();
  const int across = (columns + 31) / 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row0 = blockIdx.x / across * 32, column0 = blockIdx.x % across * 32;
  for (int i = warp; i < 32; i += 8) {
    const int row = by_columns ? row0 + lane : row0 + i, column = by_columns ? column0 + i : column0 + lane;
    if (row >= rows || column >= columns) continue;
    const size_t at =
        by_columns ? static_cast<size_t>(column) * stride + row : static_cast<size_t>(row) * stride + column;
    values[row - row0][column - column0] = from[at];
  }
  __syncthreads();
  for (int i = warp; i < 32; i += 8)
    if (row0 + i < rows && column0 + lane < columns)
      to[static_cast<size_t>(row0 + i) * pitch + column0 + lane] = values[i][lane];
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
