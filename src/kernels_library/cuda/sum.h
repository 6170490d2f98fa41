// Sums of vectors (kernels/sum/wide_loads.h), and of those that do not begin at a multiple of 16 bytes.
#pragma once

#include "kernels/sum/wide_loads.h"

/// The words before the first multiple of 16 bytes are added by the first threads.
template <int BS, int UNROLL>
__device__ __forceinline__ float wide_sum_from_anywhere(const float* in, size_t n) {
  const size_t before = min((16 - (reinterpret_cast<size_t>(in) & 15)) / 4 % 4, n);
  float part = wide_sum<BS, UNROLL>(in + before, n - before);
  if (blockIdx.x == 0 && threadIdx.x < before) part += in[threadIdx.x];
  return part;
}
__device__ __forceinline__ void wide_loads_from_anywhere(const float* in, float* partial, unsigned* counter,
                                                         float* out, size_t n) {
  finish_sum<512>(wide_sum_from_anywhere<512, 4>(in, n), partial, counter, out);
}
/// In one block, which needs no counter.
template <int BS>
__device__ __forceinline__ void one_block(const float* in, float*, unsigned*, float* out, size_t n) {
  const float sum = shuffled_sum<BS>(wide_sum_from_anywhere<BS, 4>(in, n));
  if (threadIdx.x == 0) *out = sum;
}

/// What blocks count themselves by: a word for each workspace, 0 whenever no sum with it is under way, so
/// that no launch has to clear it before. (Without the braces it is a declaration alone, though nvcc defines
/// it.)
constexpr int kSumCounters = 1024;
extern "C" {
__device__ unsigned sum_counters[kSumCounters];
}

/// WAIT: what all threads do first, SHORT those of short vectors.
#define SUM(NAME, THREADS, WAIT, SUMS)                                                 \
  extern "C" __global__ void __launch_bounds__(THREADS)                                \
      NAME(const float* in, float* partial, unsigned* counter, float* out, size_t n) { \
    WAIT;                                                                              \
    SUMS(in, partial, counter, out, n);                                                \
  }
#define SUMS(WAIT, SHORT)                             \
  SUM(one_block_256, 256, SHORT, one_block<256>)      \
  SUM(one_block_512, 512, SHORT, one_block<512>)      \
  SUM(wide_loads_1, 512, SHORT, (wide_loads<512, 1>)) \
  SUM(wide_loads_8, 512, WAIT, (wide_loads<512, 8>))  \
  SUM(wide_loads_from, 512, WAIT, wide_loads_from_anywhere)
