// C = A·B tiled, with the next tiles' elements fetched into registers while the current ones are multiplied.
//
// The last step fetches one tile too many, which nobody uses: the inputs must be allocated with a tile of
// slack (BS words after A, BS rows after B). n must be a multiple of BS.

template <int BS>
__device__ void prefetch_register(const float* a, const float* b, float* c, int n) {
  __shared__ float As[BS][BS];
  __shared__ float Bs[BS][BS];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * BS + ty;
  const int col = blockIdx.x * BS + tx;
  float next_a = a[row * n + tx];
  float next_b = b[ty * n + col];
  float sum = 0;
  for (int t = 1; t <= n / BS; ++t) {
    As[ty][tx] = next_a;
    Bs[ty][tx] = next_b;
    __syncthreads();
    next_a = a[row * n + t * BS + tx];
    next_b = b[(t * BS + ty) * n + col];
#pragma unroll
    for (int k = 0; k < BS; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

#define PREFETCH_REGISTER(BS)                                                                        \
  extern "C" __global__ void matmul_prefetch_register_##BS(const float* a, const float* b, float* c, \
                                                           int n) {                                  \
    prefetch_register<BS>(a, b, c, n);                                                               \
  }
PREFETCH_REGISTER(8)
PREFETCH_REGISTER(16)
PREFETCH_REGISTER(32)
// For watching.
PREFETCH_REGISTER(2)
PREFETCH_REGISTER(4)
