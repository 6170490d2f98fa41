// C = A·B in float32 on tensor cores, as accurate as float32 sums whatever the elements are: every operand is
// split into three bf16 parts (see thirds.h), and of their nine products the six largest are summed (see
// tensor_parts.h). n is a multiple of 4. Threads: 384.
//
// For GPUs from cc 9.0a.
#include "kernels/matmul/tensor_parts.h"
#include "kernels/matmul/thirds.h"

/// Splits A (blockIdx.z 0) and B (1). Grid: ⌈n/1024⌉ × n × 2 blocks of 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    matmul_split_thirds(const float* a, const float* b, uint2* parts_a, uint2* parts_b, int n, int pitch) {
  split_thirds(blockIdx.z == 0 ? a : b, blockIdx.z == 0 ? parts_a : parts_b, n, pitch);
}

/// maps: A in boxes of 64 × 128, B of 64 × 64, C of 32 × 64.
extern "C" __global__ void __launch_bounds__(384, 1)
    matmul_tensor_thirds_384(const TensorMap* maps, int n, int band) {
  using T = Parts<Bf16, 3, 6, 2, 1, true>;
  part_tiles<T, false, false>(maps[0], maps[1], maps[2], n, n, Order<T>(n, n, n, band), {});
}
