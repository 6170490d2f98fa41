// Products of bfloat16 matrices on tensor cores (kernels/matmul/tensor_tiles.h).
//
// For GPUs from cc 9.0a.
#include "kernels_library/cuda/split.h"
#include "kernels_library/cuda/tensor.h"

/// A matrix that the copy engine cannot take as it lies: element (row, column) at column · stride + row
/// (by_columns) or row · stride + column, to rows of `pitch`. Grid: tiles of 32 × 32, 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    lay_by_rows(const unsigned short* from, int stride, int by_columns, unsigned short* to, int pitch,
                int rows, int columns) {
  __shared__ unsigned short values[32][34];
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

/// Tiles of 128 × N. maps: A in boxes of 64 × 128, B of 64 × 64, C of 32 × 64 float32 or 64 × 64 bfloat16.
#define MULTIPLY(NAME, N, STAGES, OUT)                                                                 \
  extern "C" __global__ void __launch_bounds__(384, 1) NAME(Maps, int m, int n, int k, int band) {     \
    const TensorMap* maps = MAPS_OF(NAME);                                                             \
    tensor_tiles<Tensor<Bf16, 1, 1, N, STAGES, 1, OUT>>(maps[0], maps[1], maps[2], m, n, k, band, {}); \
  }
MULTIPLY(multiply_to_float32_256, 256, 4, float)
MULTIPLY(multiply_to_float32_128, 128, 6, float)
MULTIPLY(multiply_to_float32_64, 64, 8, float)
MULTIPLY(multiply_to_bfloat16_256, 256, 4, AsBf16)
MULTIPLY(multiply_to_bfloat16_128, 128, 6, AsBf16)
MULTIPLY(multiply_to_bfloat16_64, 64, 8, AsBf16)

extern "C" __global__ void __launch_bounds__(256)
    place_results_4(const float* from, int pitch, float* to, int stride, int m, int n) {
  place_results(from, pitch, to, stride, m, n);
}
extern "C" __global__ void __launch_bounds__(256)
    place_results_2(const unsigned short* from, int pitch, unsigned short* to, int stride, int m, int n) {
  place_results(from, pitch, to, stride, m, n);
}
