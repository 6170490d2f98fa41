// The sum of a vector in one launch whose words come through the copy engine: a thread has pieces of 16 KB
// copied to shared memory, STAGES ahead, and 512 others add them up. A block's pieces lie side by side.
// Otherwise as sum/wide_loads.
//
// For GPUs from cc 9.0. Dynamic shared memory: STAGES · 16 KB.
#pragma once

#include "kernels/async_copy.h"
#include "kernels/bulk_copy.h"
#include "kernels/sum/wide_loads.h"

constexpr int kBulkThreads = 512, kBulkBytes = 16384, kBulkChunks = kBulkBytes / 16 / kBulkThreads;

/// The words of `count` pieces from `in` on; threads from kBulkThreads on have them copied, and get 0.
template <int STAGES>
__device__ __forceinline__ float bulk_sum(const float* in, int count) {
  extern __shared__ __align__(128) float4 stages[];
  __shared__ __align__(8) unsigned long long barriers[2 * STAGES];
  const unsigned base = shared_address(stages), full = shared_address(barriers), empty = full + 8 * STAGES;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      barrier_make(full + 8 * s, 1);
      barrier_make(empty + 8 * s, kBulkThreads / 32);
    }
    barriers_made();
  }
  __syncthreads();
  float4 sum[kBulkChunks] = {};
  int stage = 0, parity = 0;
  const auto next = [&] {
    if (++stage == STAGES) stage = 0, parity ^= 1;
  };
  if (threadIdx.x == kBulkThreads) {
    for (int i = 0; i < count; ++i, next()) {
      barrier_wait(empty + 8 * stage, parity ^ 1);
      barrier_expect(full + 8 * stage, kBulkBytes);
      copy_bytes(base + stage * kBulkBytes, in + static_cast<size_t>(i) * (kBulkBytes / 4), kBulkBytes,
                 full + 8 * stage);
    }
  } else if (threadIdx.x < kBulkThreads) {
    for (int i = 0; i < count; ++i, next()) {
      barrier_wait(full + 8 * stage, parity);
#pragma unroll
      for (int j = 0; j < kBulkChunks; ++j) {
        const float4 v = stages[stage * (kBulkBytes / 16) + j * kBulkThreads + threadIdx.x];
        sum[j].x += v.x, sum[j].y += v.y, sum[j].z += v.z, sum[j].w += v.w;
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) barrier_arrive(empty + 8 * stage, 0);
    }
  }
  float total = 0;
#pragma unroll
  for (int j = 0; j < kBulkChunks; ++j) total += (sum[j].x + sum[j].y) + (sum[j].z + sum[j].w);
  return total;
}

template <int STAGES>
__device__ __forceinline__ void bulk_loads(const float* in, float* partial, unsigned* counter, float* out,
                                           size_t n) {
  const int pieces = static_cast<int>(n / (kBulkBytes / 4)), grid = static_cast<int>(gridDim.x);
  const int first = static_cast<int>(static_cast<long long>(pieces) * blockIdx.x / grid);
  const int last = static_cast<int>(static_cast<long long>(pieces) * (blockIdx.x + 1) / grid);
  float sum = bulk_sum<STAGES>(in + static_cast<size_t>(first) * (kBulkBytes / 4), last - first);
  if (blockIdx.x == 0)  // what is left behind the last piece
    for (size_t i = static_cast<size_t>(pieces) * (kBulkBytes / 4) + threadIdx.x; i < n; i += blockDim.x)
      sum += in[i];
  finish_sum<kBulkThreads + 32>(sum, partial, counter, out);
}
