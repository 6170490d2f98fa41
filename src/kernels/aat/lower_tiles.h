// C = A·Aᵀ, any shape: only the tiles on and below the diagonal are computed; those below
// it are stored a second time, mirrored. Otherwise as matmul/async_tiles.h.
#pragma once

#include "kernels/matmul/store_rows.h"

/// Stores the tile as the transposed one: a thread's groups of four rows are neighbours in a row of Cᵀ.
template <class T>
__device__ __forceinline__ void store_mirrored(const float (&sum)[T::TM][T::TN], const Results& c, int row0,
                                               int column0, int n, const Place<T>& place) {
#pragma unroll
  for (int j = 0; j < T::TN; ++j) {
    const int column = column0 + place.column_of(j);
    if (column >= n) continue;
#pragma unroll
    for (int i = 0; i < T::TM; i += 4) {
      const int row = row0 + place.row_of(i);
      float* p = c.data + static_cast<size_t>(column) * c.stride + row;
      if (c.chunks) {
        if (row < n)
          *reinterpret_cast<float4*>(p) = make_float4(sum[i][j], sum[i + 1][j], sum[i + 2][j], sum[i + 3][j]);
      } else {
#pragma unroll
        for (int q = 0; q < 4; ++q)
          if (row + q < n) p[q] = sum[i + q][j];
      }
    }
  }
}

/// The same to rows that do not begin at multiples of 16 bytes, behind store_rows and through the same part
/// of shared memory: lanes store words that lie side by side.
template <class T>
__device__ __forceinline__ void store_rows_mirrored(const float (&sum)[T::TM][T::TN], const Results& c,
                                                    int row0, int column0, int n, const Place<T>& place) {
  constexpr int kRows = T::LM * 4, kColumns = T::LN * 4;  // of a warp, at a time
  constexpr int kPitch = kRows + 4;
  static_assert(kColumns * kPitch <= StoreRows<T>::kWarp && 32 % kRows == 0);
  float* const mine = StoreRows<T>::part_of_warp();
  const int lane = threadIdx.x % 32, x = lane % kRows;
#pragma unroll
  for (int i = 0; i < T::TM; i += 4) {
    const int row = row0 + place.row + i * T::LM + x;
#pragma unroll
    for (int j = 0; j < T::TN; j += 4) {
      __syncwarp();
#pragma unroll
      for (int q = 0; q < 4; ++q)
        *reinterpret_cast<float4*>(mine + (place.lane_n * 4 + q) * kPitch + place.lane_m * 4) =
            make_float4(sum[i][j + q], sum[i + 1][j + q], sum[i + 2][j + q], sum[i + 3][j + q]);
      __syncwarp();
      const int column = column0 + place.column + j * T::LN;
      if (row >= n) continue;
#pragma unroll
      for (int y = 0; y < kColumns; y += 32 / kRows) {
        const int r = y + lane / kRows;
        if (column + r < n) c.data[static_cast<size_t>(column + r) * c.stride + row] = mine[r * kPitch + x];
      }
    }
  }
}

/// n: rows of A.
template <class T>
__device__ __forceinline__ void lower_tiles(const Operand& a, const Results& c, int n, int k) {
  constexpr int kRows = T::BN / T::BM;  // rows of tiles that are as high as a tile is wide
  static_assert(T::BN % T::BM == 0 && T::A == T::B);
  int group, column;
  place_in_triangle(blockIdx.x / kRows, group, column);
  const int inside = blockIdx.x - kRows * (group * (group + 1) / 2);
  const int row = group * kRows + inside % kRows;
  column = inside / kRows;
  if (row * T::BM >= n) return;
  const Place<T> place;
  float sum[T::TM][T::TN] = {};
  multiply_tiles<T, true>(sum, a, a, row * T::BM, column * T::BN, n, n, 0, k, place);
  if (!add_groups<T>(sum)) return;
  const bool mirrored = group != column;
  if (!StoreRows<T>::kFits || c.chunks) {
    store_tile<T>(sum, c, row * T::BM, column * T::BN, n, n, place);
    if (mirrored) store_mirrored<T>(sum, c, row * T::BM, column * T::BN, n, place);
  } else if constexpr (StoreRows<T>::kFits) {
    store_rows<T>(sum, c, row * T::BM, column * T::BN, n, n, place);
    if (mirrored) store_rows_mirrored<T>(sum, c, row * T::BM, column * T::BN, n, place);
  }
}
