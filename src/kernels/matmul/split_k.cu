// C = A·B for small n: blocks of 64 × 64 results, and for each of them several blocks that take a slice of k;
// a second launch adds the slices, always in the same order (see async_tiles.h). Any n.
//
// For GPUs from cc 8.0.
#include "kernels/matmul/async_tiles.h"

/// partial: n × n for each slice (blockIdx.y).
template <class T>
__device__ __forceinline__ void split_k(const float* a, const float* b, float* partial, int n) {
  const int columns = (n + T::BN - 1) / T::BN;
  const int row = blockIdx.x / columns * T::BM, column = blockIdx.x % columns * T::BN;
  const int steps = (n + T::BK - 1) / T::BK, slices = gridDim.y, slice = blockIdx.y;
  const int first = steps * slice / slices * T::BK, last = min(steps * (slice + 1) / slices * T::BK, n);
  const Place<T> place;
  float sum[T::TM][T::TN] = {};
  multiply_tiles<T, true>(sum, {a, n}, {b, n}, row, column, n, n, first, last, place);
  store_tile<T>(sum, {partial + static_cast<size_t>(slice) * n * n, n, n % 4 == 0}, row, column, n, n, place);
}

extern "C" __global__ void __launch_bounds__(128, 4)
    matmul_split_k_128(const float* a, const float* b, float* partial, int n) {
  split_k<Tiles<16, 4, 8, 8, 2, 2, 4, kChunks>>(a, b, partial, n);
}

extern "C" __global__ void __launch_bounds__(128, 4)
    matmul_split_k_128_words(const float* a, const float* b, float* partial, int n) {
  split_k<Tiles<16, 4, 8, 8, 2, 2, 4, kWords>>(a, b, partial, n);
}

extern "C" __global__ void matmul_add_slices(const float* partial, float* c, int count, int slices) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = partial[i];
  for (int s = 1; s < slices; ++s) sum += partial[static_cast<size_t>(s) * count + i];
  c[i] = sum;
}
