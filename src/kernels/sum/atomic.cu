// The sum of a vector in one launch: every block adds its part to the result by an atomic add. *out must be 0
// before the launch.
//
// Simple, but the blocks' order is not fixed: the result may differ in its last digits from run to run.
#include "kernels/sum/block_sum.h"

template <int BS>
__device__ void atomic(const float* in, float* out, unsigned n) {
  const float sum = block_sum<BS>(strided_sum(in, n, blockIdx.x * BS + threadIdx.x, gridDim.x * BS));
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

#define ATOMIC(BS)                                                                      \
  extern "C" __global__ void sum_atomic_##BS(const float* in, float* out, unsigned n) { \
    atomic<BS>(in, out, n);                                                             \
  }
ATOMIC(128)
ATOMIC(256)
ATOMIC(512)
// For watching.
ATOMIC(64)
