// The sum of a vector in one launch with loads of 16 bytes (see wide_loads.h): eight under way in every
// thread for long vectors, one for short ones.
#include "kernels/sum/wide_loads.h"

#define WIDE_LOADS(BS, UNROLL)                                                      \
  extern "C" __global__ void __launch_bounds__(BS) sum_wide_loads_##BS##_##UNROLL(  \
      const float* in, float* partial, unsigned* counter, float* out, unsigned n) { \
    wide_loads<BS, UNROLL>(in, partial, counter, out, n);                           \
  }
WIDE_LOADS(512, 1)
WIDE_LOADS(512, 8)
WIDE_LOADS(1024, 4)
