// C = A·Aᵀ tiled. The second tile is stored as it lies in A and read by columns: in a row of lanes every one
// reads the same bank, a 16- or 32-way conflict.
//
// n must be a multiple of BS.

template <int BS>
__device__ void plain(const float* a, float* c, int n) {
  __shared__ float As[BS][BS];
  __shared__ float At[BS][BS];
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

#define PLAIN(BS) \
  extern "C" __global__ void aat_plain_##BS(const float* a, float* c, int n) { plain<BS>(a, c, n); }
PLAIN(16)
PLAIN(32)
