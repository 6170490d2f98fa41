// Results of async_tiles.h to rows that do not begin at multiples of 16 bytes.
#pragma once

#include "kernels/matmul/async_tiles.h"

/// Where a warp of the first group turns results.
template <class T>
struct StoreRows {
  static constexpr int kRows = T::LM * 4, kColumns = T::LN * T::TN;  ///< of a warp, at a time
  static constexpr int kPitch = kColumns + 4;                        ///< rows four apart lie in other banks
  static constexpr int kWarp = kRows * kPitch, kSums = T::kGroups > 1 ? T::TM *T::TN *T::kGroup : 0;
  /// Whether the stages have room for all warps' parts.
  static constexpr bool kFits = (kSums + T::kGroup / 32 * kWarp) * 4 <= T::kBytes && kColumns % 32 == 0;
  static __device__ __forceinline__ float* part_of_warp() {
    extern __shared__ __align__(16) float shared[];
    return shared + kSums + threadIdx.x % T::kGroup / 32 * kWarp;
  }
};

/// As store_tile, by words: a lane has four neighbours of a row, and would leave the words between to a later
/// store, so that every sector is written four times. A part of shared memory of the warp's own turns them,
/// so that lanes store words that lie side by side. All threads of the first group, after add_groups.
template <class T>
__device__ __forceinline__ void store_rows(const float (&sum)[T::TM][T::TN], const Results& c, int row0,
                                           int column0, int m, int n, const Place<T>& place) {
  constexpr int kRows = StoreRows<T>::kRows, kColumns = StoreRows<T>::kColumns, kPitch = StoreRows<T>::kPitch;
  static_assert(StoreRows<T>::kFits);
  if (T::kGroups == 1) {
    wait_for_groups<0>();  // the stages are free: nothing is on its way to them, and nobody reads
    __syncthreads();
  }
  const int lane = threadIdx.x % 32;
  float* const mine = StoreRows<T>::part_of_warp();
  float* const to_row = mine + place.lane_m * 4 * kPitch;
#pragma unroll
  for (int i = 0; i < T::TM; i += 4) {
#pragma unroll
    for (int q = 0; q < 4; ++q)
#pragma unroll
      for (int j = 0; j < T::TN; j += 4)
        *reinterpret_cast<float4*>(to_row + q * kPitch + place.column_of_warp(j)) =
            make_float4(sum[i + q][j], sum[i + q][j + 1], sum[i + q][j + 2], sum[i + q][j + 3]);
    __syncwarp();
    const int row = row0 + place.row + i * T::LM, rows = min(kRows, m - row);
    const int column = column0 + place.column + lane;
    float* to = c.data + static_cast<size_t>(row) * c.stride + column;
#pragma unroll 4
    for (int r = 0; r < rows; ++r, to += c.stride)
#pragma unroll
      for (int x = 0; x < kColumns; x += 32)
        if (column + x < n) to[x] = mine[r * kPitch + x + lane];
    __syncwarp();
  }
}
