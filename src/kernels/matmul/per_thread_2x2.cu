// C = A·B tiled with prefetch into registers and 2 × 2 neighbouring results per thread: the tiles are 2BS ×
// BS and BS × 2BS, and every word read from shared memory serves two multiply-adds.
//
// The last step fetches one tile too many, which nobody uses: the inputs must be allocated with a tile of
// slack (BS words after A, BS rows after B). n must be a multiple of 2BS.

template <int BS>
__device__ void per_thread_2x2(const float* a, const float* b, float* c, int n) {
  __shared__ float As[2 * BS][BS];
  __shared__ float Bs[BS][2 * BS];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = 2 * tx, y = 2 * ty;  // this thread's first result within the block
  const int row = blockIdx.y * 2 * BS + y;
  const int col = blockIdx.x * 2 * BS + x;
  float next_a0 = a[row * n + tx];
  float next_a1 = a[(row + 1) * n + tx];
  float next_b0 = b[ty * n + col];
  float next_b1 = b[ty * n + col + 1];
  float sum00 = 0, sum01 = 0, sum10 = 0, sum11 = 0;
  for (int t = 1; t <= n / BS; ++t) {
    As[y][tx] = next_a0;
    As[y + 1][tx] = next_a1;
    Bs[ty][x] = next_b0;
    Bs[ty][x + 1] = next_b1;
    __syncthreads();
    next_a0 = a[row * n + t * BS + tx];
    next_a1 = a[(row + 1) * n + t * BS + tx];
    next_b0 = b[(t * BS + ty) * n + col];
    next_b1 = b[(t * BS + ty) * n + col + 1];
#pragma unroll
    for (int k = 0; k < BS; ++k) {
      const float a0 = As[y][k], a1 = As[y + 1][k];
      const float b0 = Bs[k][x], b1 = Bs[k][x + 1];
      sum00 += a0 * b0;
      sum01 += a0 * b1;
      sum10 += a1 * b0;
      sum11 += a1 * b1;
    }
    __syncthreads();
  }
  c[row * n + col] = sum00;
  c[row * n + col + 1] = sum01;
  c[(row + 1) * n + col] = sum10;
  c[(row + 1) * n + col + 1] = sum11;
}

#define PER_THREAD_2X2(BS)                                                                                 \
  extern "C" __global__ void matmul_per_thread_2x2_##BS(const float* a, const float* b, float* c, int n) { \
    per_thread_2x2<BS>(a, b, c, n);                                                                        \
  }
PER_THREAD_2X2(8)
PER_THREAD_2X2(16)
// For watching.
PER_THREAD_2X2(2)
PER_THREAD_2X2(4)
