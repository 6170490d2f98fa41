// C = A·B of bf16 matrices with float32 results on tensor cores (see tensor_tiles.h): A and B are
// rounded to bf16 first. n is a multiple of 4. Threads: 384.
//
// For GPUs from cc 9.0a.
#include "kernels/matmul/tensor_tiles.h"

/// Four elements a thread of each of A and B (n × n) to rows of `pitch` bf16. Grid: ⌈n/1024⌉ × n, 256
/// threads.
extern "C" __global__ void __launch_bounds__(256)
    matmul_to_bf16(const float* a, const float* b, uint2* to_a, uint2* to_b, int n, int pitch) {
  const int column = 4 * (blockIdx.x * 256 + threadIdx.x);
  if (column >= n) return;
  const size_t from = static_cast<size_t>(blockIdx.y) * n + column;
  const size_t to = (static_cast<size_t>(blockIdx.y) * pitch + column) / 4;
  const float4 u = *reinterpret_cast<const float4*>(a + from), v = *reinterpret_cast<const float4*>(b + from);
  to_a[to] = {pack_bf16(u.x, u.y), pack_bf16(u.z, u.w)};
  to_b[to] = {pack_bf16(v.x, v.y), pack_bf16(v.z, v.w)};
}

/// maps: A in boxes of 64 × 128, B of 64 × 64, C of 32 × 64.
extern "C" __global__ void __launch_bounds__(384, 1)
    matmul_tensor_bf16_384(const TensorMap* maps, int n, int band) {
  tensor_tiles<Tensor<Bf16, 1, 1, 256, 4, 1, float>>(maps[0], maps[1], maps[2], n, n, n, band, {});
}
