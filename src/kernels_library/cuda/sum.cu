// Sums of vectors (kernels/sum/wide_loads.h), and of those that do not begin at a multiple of 16 bytes.
#include "kernels/sum/wide_loads.h"

#define WIDE_LOADS(UNROLL)                                                                            \
  extern "C" __global__ void __launch_bounds__(512)                                                   \
      wide_loads_##UNROLL(const float* in, float* partial, unsigned* counter, float* out, size_t n) { \
    wide_loads<512, UNROLL>(in, partial, counter, out, n);                                            \
  }
WIDE_LOADS(1)
WIDE_LOADS(8)

/// The words before the first multiple of 16 bytes are added by the first threads.
extern "C" __global__ void __launch_bounds__(512)
    wide_loads_from(const float* in, float* partial, unsigned* counter, float* out, size_t n) {
  const size_t before = min((16 - (reinterpret_cast<size_t>(in) & 15)) / 4 % 4, n);
  float part = wide_sum<512, 4>(in + before, n - before);
  if (blockIdx.x == 0 && threadIdx.x < before) part += in[threadIdx.x];
  finish_sum<512>(part, partial, counter, out);
}
