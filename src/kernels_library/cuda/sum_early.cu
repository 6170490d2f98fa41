// Sums of vectors in launches that may begin early (see sum.h), of long ones through the copy engine
// (kernels/sum/bulk_loads.h). None lets the next begin before it ends: waiting blocks would take the room of
// those that add.
//
// For GPUs from cc 9.0.
#include "kernels/launch_order.h"
#include "kernels/sum/bulk_loads.h"
#include "kernels_library/cuda/sum.h"

SUMS(wait_for_launch())

extern "C" __global__ void __launch_bounds__(544)
    bulk_sum_544(const float* in, float* partial, unsigned* counter, float* out, size_t n) {
  wait_for_launch();
  bulk_loads<12>(in, partial, counter, out, n);
}
