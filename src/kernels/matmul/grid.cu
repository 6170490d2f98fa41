// C = A·B with a grid of blocks, one element per thread, straight from global memory.
//
// All multiprocessors work, but every multiply-add waits for two words from global memory. n must be a
// multiple of BS.

template <int BS>
__device__ void grid(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * BS + threadIdx.y;
  const int col = blockIdx.x * BS + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

#define GRID(BS)                                                                                 \
  extern "C" __global__ void matmul_grid_##BS(const float* a, const float* b, float* c, int n) { \
    grid<BS>(a, b, c, n);                                                                        \
  }
GRID(8)
GRID(16)
GRID(22)
GRID(32)
// For watching.
GRID(2)
GRID(4)
