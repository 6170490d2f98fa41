// The sum of a vector in one launch, at the pace of memory: every thread has UNROLL loads of 16 bytes under
// way at once; otherwise as sum/last_block.
//
// counter must be 0 before the first launch; the last block leaves it 0. The order of the additions depends
// on the grid alone, so the result is the same in every run. `in` begins at a multiple of 16 bytes; any n.
#pragma once

#include "kernels/sum/block_sum.h"

/// Half of the smallest power of two that is not below n.
__device__ constexpr int most_apart(int n) {
  int apart = 1;
  while (2 * apart < n) apart *= 2;
  return n == 1 ? 0 : apart;
}

/// The sum of every thread's value, in thread 0: within warps by shuffles, then over the warps. One barrier.
/// BS: a multiple of 32, up to 1024.
template <int BS>
__device__ __forceinline__ float shuffled_sum(float value) {
  __shared__ float values[BS / 32];
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(0xffffffffu, value, apart);
  if (BS == 32) return value;
  if (threadIdx.x % 32 == 0) values[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < BS / 32 ? values[threadIdx.x] : 0;
  if (threadIdx.x < 32) {
#pragma unroll
    for (int apart = most_apart(BS / 32); apart > 0; apart /= 2)
      value += __shfl_xor_sync(0xffffffffu, value, apart);
  }
  return value;
}

/// This thread's part, of n words: blocks take pieces of BS · UNROLL chunks in turn.
template <int BS, int UNROLL>
__device__ __forceinline__ float wide_sum(const float* in, size_t n) {
  const float4* chunks = reinterpret_cast<const float4*>(in);
  const size_t count = n / 4, apart = static_cast<size_t>(gridDim.x) * BS * UNROLL;
  float4 sum[UNROLL] = {};
  size_t first = static_cast<size_t>(blockIdx.x) * BS * UNROLL + threadIdx.x;
  for (; first + (UNROLL - 1) * BS < count; first += apart) {
    float4 v[UNROLL];
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) v[i] = chunks[first + i * BS];
#pragma unroll
    for (int i = 0; i < UNROLL; ++i)
      sum[i].x += v[i].x, sum[i].y += v[i].y, sum[i].z += v[i].z, sum[i].w += v[i].w;
  }
#pragma unroll
  for (int i = 0; i < UNROLL; ++i) {  // the last piece, if it is not whole
    if (first + i * BS >= count) break;
    const float4 v = chunks[first + i * BS];
    sum[i].x += v.x, sum[i].y += v.y, sum[i].z += v.z, sum[i].w += v.w;
  }
  float total = 0;
#pragma unroll
  for (int i = 0; i < UNROLL; ++i) total += (sum[i].x + sum[i].y) + (sum[i].z + sum[i].w);
  const size_t rest = count * 4 + threadIdx.x;  // up to three words behind the last chunk
  if (blockIdx.x == 0 && rest < n) total += in[rest];
  return total;
}

/// How many blocks have come before, of `count`; the last one's leaves the counter 0. What those wrote before
/// is seen behind it. (Without the fences around atomicInc a short sum takes a tenth less.)
__device__ __forceinline__ unsigned take_ticket(unsigned* counter, unsigned count) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(counter), "r"(count - 1)
               : "memory");
  return before;
}

/// Adds up the blocks' sums, which every thread has a part of, in the last block to come.
template <int BS>
__device__ __forceinline__ void finish_sum(float part, float* partial, unsigned* counter, float* out) {
  __shared__ bool is_last;
  const float sum = shuffled_sum<BS>(part);
  if (gridDim.x == 1) {  // nobody to wait for
    if (threadIdx.x == 0) *out = sum;
    return;
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    is_last = take_ticket(counter, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  const float total = shuffled_sum<BS>(strided_sum(partial, gridDim.x, threadIdx.x, BS));
  if (threadIdx.x == 0) *out = total;
}

template <int BS, int UNROLL>
__device__ __forceinline__ void wide_loads(const float* in, float* partial, unsigned* counter, float* out,
                                           size_t n) {
  finish_sum<BS>(wide_sum<BS, UNROLL>(in, n), partial, counter, out);
}
