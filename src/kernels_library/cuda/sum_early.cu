// Sums of vectors in launches that may begin early (see sum.h), of long ones through the copy engine
// (kernels/sum/bulk_loads.h), of short ones in a cluster. Only short ones let the next begin before they end:
// of others waiting blocks would take the room of those that add.
//
// For GPUs from cc 9.0.
#include "kernels/launch_order.h"
#include "kernels/sum/bulk_loads.h"
#include "kernels_library/cuda/sum.h"

SUMS(wait_for_launch(), (wait_for_launch(), let_next_launch()))

/// Eight blocks of a cluster give their sums to the first one's shared memory. Needs no counter, as
/// one_block.
extern "C" __global__ void __launch_bounds__(512)
    one_cluster(const float* in, float*, unsigned*, float* out, size_t n) {
  constexpr int kBlocks = 8;
  __shared__ float sums[kBlocks];
  arrive_at_cluster();
  wait_for_launch();
  let_next_launch();
  const float sum = shuffled_sum<512>(wide_sum_from_anywhere<512, 2>(in, n));
  wait_for_cluster_arrivals();  // all blocks are there
  if (threadIdx.x == 0)
    asm volatile(
        "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, 0;\n st.shared::cluster.f32 [there], %1; }" ::
            "r"(shared_address(sums + blockIdx.x)),
        "f"(sum)
        : "memory");
  wait_for_cluster();
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  float total = 0;
#pragma unroll
  for (int i = 0; i < kBlocks; ++i) total += sums[i];
  *out = total;
}

extern "C" __global__ void __launch_bounds__(544)
    bulk_sum_544(const float* in, float* partial, unsigned* counter, float* out, size_t n) {
  wait_for_launch();
  bulk_loads<12>(in, partial, counter, out, n);
}
