// C = A·B tiled, with the next tiles fetched into a second pair of shared arrays while the current pair is
// multiplied: twice the shared memory, one barrier per step.
//
// The last step fetches one tile too many, which nobody uses: the inputs must be allocated with a tile of
// slack (BS words after A, BS rows after B). n must be a multiple of BS.

template <int BS>
__device__ void prefetch_shared(const float* a, const float* b, float* c, int n) {
  __shared__ float As[2][BS][BS];
  __shared__ float Bs[2][BS][BS];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * BS + ty;
  const int col = blockIdx.x * BS + tx;
  As[0][ty][tx] = a[row * n + tx];
  Bs[0][ty][tx] = b[ty * n + col];
  float sum = 0;
  for (int t = 1; t <= n / BS; ++t) {
    const int current = (t - 1) % 2, next = t % 2;
    __syncthreads();  // the current pair is complete, and nobody reads the other one any more
    As[next][ty][tx] = a[row * n + t * BS + tx];
    Bs[next][ty][tx] = b[(t * BS + ty) * n + col];
#pragma unroll
    for (int k = 0; k < BS; ++k) sum += As[current][ty][k] * Bs[current][k][tx];
  }
  c[row * n + col] = sum;
}

#define PREFETCH_SHARED(BS)                                                                                 \
  extern "C" __global__ void matmul_prefetch_shared_##BS(const float* a, const float* b, float* c, int n) { \
    prefetch_shared<BS>(a, b, c, n);                                                                        \
  }
PREFETCH_SHARED(8)
PREFETCH_SHARED(16)
// For watching.
PREFETCH_SHARED(2)
PREFETCH_SHARED(4)
