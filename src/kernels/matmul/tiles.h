// C = A·B tiled, with RX × RY neighbouring results per thread (RX of them side by side): a word read from
// shared memory serves RX or RY multiply-adds.
//
// Any n: elements outside the matrices load as 0 and are not stored.
#pragma once

/// Rounds of the loop over k that become straight code. The report's kernel left that to nvcc: its counts of
/// shared loads show that the rows of As were read word by word for 5x6, 8x8 and larger tiles, so the loop
/// stayed a loop there, and by four words at a time for all others, 6x6 too.
template <int BS, int RX, int RY>
constexpr int kUnroll = RX* RY > 36 || (RX == 5 && RY == 6) ? 1
                        : RX* RY > 16                       ? 4
                                                            : BS;

template <int BS, int RX, int RY>
__device__ void tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float As[BS * RY][BS];
  __shared__ float Bs[BS][BS * RX];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = (blockIdx.y * BS + ty) * RY;  // this thread's first result
  const int col = (blockIdx.x * BS + tx) * RX;
  float sum[RY][RX] = {};
  constexpr int kRounds = kUnroll<BS, RX, RY>;

  for (int t = 0; t < n; t += BS) {
#pragma unroll
    for (int i = 0; i < RY; ++i)
      As[ty * RY + i][tx] = row + i < n && t + tx < n ? a[(row + i) * n + t + tx] : 0.0f;
#pragma unroll
    for (int j = 0; j < RX; ++j)
      Bs[ty][tx * RX + j] = t + ty < n && col + j < n ? b[(t + ty) * n + col + j] : 0.0f;
    __syncthreads();
#pragma unroll kRounds
    for (int k = 0; k < BS; ++k) {
#pragma unroll
      for (int i = 0; i < RY; ++i)
#pragma unroll
        for (int j = 0; j < RX; ++j) sum[i][j] += As[ty * RY + i][k] * Bs[k][tx * RX + j];
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < RY; ++i)
#pragma unroll
    for (int j = 0; j < RX; ++j)
      if (row + i < n && col + j < n) c[(row + i) * n + col + j] = sum[i][j];
}

#define TILES(BS, RX, RY)                                                                              \
  extern "C" __global__ void matmul_tiles_##BS##_##RX##x##RY(const float* a, const float* b, float* c, \
                                                             int n) {                                  \
    tiles<BS, RX, RY>(a, b, c, n);                                                                     \
  }
