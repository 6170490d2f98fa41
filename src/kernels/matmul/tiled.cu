// C = A·B through shared memory: per step the block loads a BS × BS tile of A and of B, one element of each
// per thread, and every loaded word serves BS multiply-adds.
//
// n must be a multiple of BS.

template <int BS>
__device__ void tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float As[BS][BS];
  __shared__ float Bs[BS][BS];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * BS + ty;
  const int col = blockIdx.x * BS + tx;
  float sum = 0;
  for (int t = 0; t < n / BS; ++t) {
    As[ty][tx] = a[row * n + t * BS + tx];
    Bs[ty][tx] = b[(t * BS + ty) * n + col];
    __syncthreads();  // the tiles are complete
#pragma unroll
    for (int k = 0; k < BS; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();  // nobody reads them any more
  }
  c[row * n + col] = sum;
}

#define TILED(BS)                                                                                 \
  extern "C" __global__ void matmul_tiled_##BS(const float* a, const float* b, float* c, int n) { \
    tiled<BS>(a, b, c, n);                                                                        \
  }
TILED(8)
TILED(16)
TILED(22)
TILED(32)
// For watching.
TILED(2)
TILED(4)
