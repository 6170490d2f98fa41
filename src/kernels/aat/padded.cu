// C = A·Aᵀ tiled, the rows of the second tile one word longer than needed: lanes that read a column now meet
// different banks. Otherwise as aat/plain.
//
// n must be a multiple of BS.

template <int BS>
__device__ void padded(const float* a, float* c, int n) {
  __shared__ float As[BS][BS];
  __shared__ float At[BS][BS + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * BS + ty;
  const int col = blockIdx.x * BS + tx;
  float sum = 0;
  for (int t = 0; t < n / BS; ++t) {
    As[ty][tx] = a[row * n + t * BS + tx];
    At[ty][tx] = a[(blockIdx.x * BS + ty) * n + t * BS + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BS; ++k) sum += As[ty][k] * At[tx][k];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

#define PADDED(BS) \
  extern "C" __global__ void aat_padded_##BS(const float* a, float* c, int n) { padded<BS>(a, c, n); }
PADDED(16)
PADDED(32)
