// Sums of vectors (kernels/sum/wide_loads.h), and of those that do not begin at a multiple of 16 bytes.
#pragma once

#include "kernels/sum/wide_loads.h"

/// The words before the first multiple of 16 bytes are added by the first threads.
__device__ __forceinline__ void wide_loads_from_anywhere(const float* in, float* partial, unsigned* counter,
                                                         float* out, size_t n) {
  const size_t before = min((16 - (reinterpret_cast<size_t>(in) & 15)) / 4 % 4, n);
  float part = wide_sum<512, 4>(in + before, n - before);
  if (blockIdx.x == 0 && threadIdx.x < before) part += in[threadIdx.x];
  finish_sum<512>(part, partial, counter, out);
}

/// WAIT: what all threads do first.
#define SUM(NAME, WAIT, SUMS)                                                          \
  extern "C" __global__ void __launch_bounds__(512)                                    \
      NAME(const float* in, float* partial, unsigned* counter, float* out, size_t n) { \
    WAIT;                                                                              \
    SUMS(in, partial, counter, out, n);                                                \
  }
#define SUMS(WAIT)                              \
  SUM(wide_loads_1, WAIT, (wide_loads<512, 1>)) \
  SUM(wide_loads_8, WAIT, (wide_loads<512, 8>)) \
  SUM(wide_loads_from, WAIT, wide_loads_from_anywhere)
