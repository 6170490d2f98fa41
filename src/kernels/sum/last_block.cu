// The sum of a vector in one launch: every block sums its part and publishes it; the block that finishes last
// adds the partial sums. Which one that is, an atomic ticket tells.
//
// counter must be 0 before the first launch; the last block leaves it 0. The order of the additions is fixed,
// so the result is the same in every run.
#include "kernels/sum/block_sum.h"

template <int BS>
__device__ void last_block(const float* in, float* partial, unsigned* counter, float* out, unsigned n) {
  __shared__ bool is_last;
  const float sum = block_sum<BS>(strided_sum(in, n, blockIdx.x * BS + threadIdx.x, gridDim.x * BS));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();  // publish: the partial sum is visible before the ticket
    is_last = atomicInc(counter, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();  // acquire: no partial sum is read before the ticket
  const float total = block_sum<BS>(strided_sum(partial, gridDim.x, threadIdx.x, BS));
  if (threadIdx.x == 0) {
    *out = total;
    *counter = 0;
  }
}

#define LAST_BLOCK(BS)                                                                               \
  extern "C" __global__ void sum_last_block_##BS(const float* in, float* partial, unsigned* counter, \
                                                 float* out, unsigned n) {                           \
    last_block<BS>(in, partial, counter, out, n);                                                    \
  }
LAST_BLOCK(128)
LAST_BLOCK(256)
LAST_BLOCK(512)
// For watching.
LAST_BLOCK(64)
