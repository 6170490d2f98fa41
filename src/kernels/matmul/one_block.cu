// C = A·B with a single block, straight from global memory.
//
// The block walks over the (n/BS)² tiles of C; in each, a thread computes the element at its own place. Only
// one multiprocessor works. n must be a multiple of BS.

template <int BS>
__device__ void one_block(const float* a, const float* b, float* c, int n) {
  for (int row = threadIdx.y; row < n; row += BS) {
    for (int col = threadIdx.x; col < n; col += BS) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
      c[row * n + col] = sum;
    }
  }
}

#define ONE_BLOCK(BS)                                                                                 \
  extern "C" __global__ void matmul_one_block_##BS(const float* a, const float* b, float* c, int n) { \
    one_block<BS>(a, b, c, n);                                                                        \
  }
ONE_BLOCK(8)
ONE_BLOCK(16)
ONE_BLOCK(22)
// For watching.
ONE_BLOCK(2)
ONE_BLOCK(4)
