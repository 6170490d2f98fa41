// C = A·Aᵀ, any shape: only the tiles on and below the diagonal are computed; those below
// it are stored a second time, mirrored. Otherwise as matmul/async_tiles.h.
#pragma once

#include "kernels/matmul/async_tiles.h"

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
  store_tile<T>(sum, c, row * T::BM, column * T::BN, n, n, place);
  if (group != column) store_mirrored<T>(sum, c, row * T::BM, column * T::BN, n, place);
}
