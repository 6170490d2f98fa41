// The sum of a vector in two launches of the same kernel: the first leaves a partial sum per block, the
// second, of one block, adds those. The end of a launch is the fence between them.
#include "kernels/sum/block_sum.h"

template <int BS>
__device__ void partial_sums(const float* in, float* out, unsigned n) {
  const float sum = block_sum<BS>(strided_sum(in, n, blockIdx.x * BS + threadIdx.x, gridDim.x * BS));
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

#define TWO_LAUNCHES(BS)                                                                      \
  extern "C" __global__ void sum_two_launches_##BS(const float* in, float* out, unsigned n) { \
    partial_sums<BS>(in, out, n);                                                             \
  }
TWO_LAUNCHES(128)
TWO_LAUNCHES(256)
TWO_LAUNCHES(512)
// For watching.
TWO_LAUNCHES(64)
