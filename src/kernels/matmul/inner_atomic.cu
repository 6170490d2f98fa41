// C += A·B, parallel over the inner loop as well: blockIdx.z names a slice of k, and the slices' partial sums
// meet in C by atomic adds. C must be zero before the launch.
//
// There are more threads, but each element of C is now written once per slice, and in no fixed order: the
// result may differ from run to run. n must be a multiple of BS; n / gridDim.z need not be whole.

template <int BS>
__device__ void inner_atomic(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * BS + threadIdx.y;
  const int col = blockIdx.x * BS + threadIdx.x;
  const int slices = gridDim.z;
  const int slice = blockIdx.z;
  const int begin = n * slice / slices;
  const int end = n * (slice + 1) / slices;
  float sum = 0;
  for (int k = begin; k < end; ++k) sum += a[row * n + k] * b[k * n + col];
  atomicAdd(&c[row * n + col], sum);
}

#define INNER_ATOMIC(BS)                                                                                 \
  extern "C" __global__ void matmul_inner_atomic_##BS(const float* a, const float* b, float* c, int n) { \
    inner_atomic<BS>(a, b, c, n);                                                                        \
  }
INNER_ATOMIC(16)
