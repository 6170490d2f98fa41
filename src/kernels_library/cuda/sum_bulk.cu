// Sums of long vectors through the copy engine (kernels/sum/bulk_loads.h).
//
// For GPUs from cc 9.0.
#include "kernels/sum/bulk_loads.h"

extern "C" __global__ void __launch_bounds__(544)
    bulk_sum_544(const float* in, float* partial, unsigned* counter, float* out, size_t n) {
  bulk_loads<12>(in, partial, counter, out, n);
}
