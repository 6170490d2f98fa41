// Sums over one block, shared by the kernels of this folder. BS, the number of threads, is a power of two.
#pragma once

/// Elements first, first + stride, first + 2·stride … of in[n].
__device__ inline float strided_sum(const float* in, unsigned n, unsigned first, unsigned stride) {
  float sum = 0;
  for (unsigned i = first; i < n; i += stride) sum += in[i];
  return sum;
}

/// The sum of every thread's value, to be used by thread 0: a tree in shared memory.
template <int BS>
__device__ float block_sum(float value) {
  __shared__ float values[BS];
  const unsigned t = threadIdx.x;
  values[t] = value;
  __syncthreads();
  for (unsigned half = BS / 2; half > 0; half /= 2) {
    if (t < half) values[t] += values[t + half];
    __syncthreads();
  }
  return t == 0 ? values[0] : 0;
}
