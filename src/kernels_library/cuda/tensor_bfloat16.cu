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

/// Of a Tensor<…>. maps: A in boxes of 64 × the tile's rows, half of them where clusters lie side by side, B
/// of 64 × 64, or half as many rows where they do not, C of 32 × 64 float32 or 64 × 64 bfloat16.
#define MULTIPLY(NAME, GROUPS, ...)                                                  \
  extern "C" __global__ void __launch_bounds__(128 * GROUPS + 128, 1)                \
      NAME(Maps, int m, int n, int k, int band) {                                    \
    const TensorMap* maps = MAPS_OF(NAME);                                           \
    tensor_tiles<Tensor<__VA_ARGS__>>(maps[0], maps[1], maps[2], m, n, k, band, {}); \
  }
/// Tiles of 64·GROUPS × N, by clusters of CLUSTER blocks.
#define TO_FLOAT32(NAME, N, STAGES, GROUPS, CLUSTER) \
  MULTIPLY(multiply_to_float32_##NAME, GROUPS, Bf16, 1, 1, N, STAGES, CLUSTER, float, GROUPS)
#define TO_BOTH(NAME, N, STAGES, GROUPS, CLUSTER) \
  TO_FLOAT32(NAME, N, STAGES, GROUPS, CLUSTER)    \
  MULTIPLY(multiply_to_bfloat16_##NAME, GROUPS, Bf16, 1, 1, N, STAGES, CLUSTER, AsBf16, GROUPS)
TO_BOTH(128x256, 256, 4, 2, 1)
TO_BOTH(128x128, 128, 6, 2, 1)
TO_BOTH(128x64, 64, 8, 2, 1)
TO_BOTH(192x192_pair, 192, 3, 3, 2)
// Half a box of bfloat16 results would remain.
TO_FLOAT32(128x224_pair, 224, 4, 2, 2)

/// Tiles of 256 × N, by clusters of two blocks side by side.
#define BESIDE(NAME, N, STAGES)                                                                     \
  MULTIPLY(multiply_to_float32_##NAME##_beside, 2, Bf16, 1, 2, N, STAGES, 2, float, 2, false, true) \
  MULTIPLY(multiply_to_bfloat16_##NAME##_beside, 2, Bf16, 1, 2, N, STAGES, 2, AsBf16, 2, false, true)
BESIDE(256x128, 128, 4)
BESIDE(256x192, 192, 3)

/// Tiles of 64·DOWN × N, for two warpgroups in turns.
#define IN_TURNS(NAME, DOWN, N, STAGES)                                                        \
  MULTIPLY(multiply_to_float32_##NAME##_turns, 2, Bf16, 1, DOWN, N, STAGES, 1, float, 2, true) \
  MULTIPLY(multiply_to_bfloat16_##NAME##_turns, 2, Bf16, 1, DOWN, N, STAGES, 1, AsBf16, 2, true)
IN_TURNS(128x128, 2, 128, 6)
IN_TURNS(128x192, 2, 192, 4)

extern "C" __global__ void __launch_bounds__(256)
    place_results_4(const float* from, int pitch, float* to, int stride, int m, int n) {
  place_results(from, pitch, to, stride, m, n);
}
extern "C" __global__ void __launch_bounds__(256)
    place_results_2(const unsigned short* from, int pitch, unsigned short* to, int stride, int m, int n) {
  place_results(from, pitch, to, stride, m, n);
}
