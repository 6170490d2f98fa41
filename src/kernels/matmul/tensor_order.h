// Which tiles of tensor_tiles.h a block computes, and which blocks of a cluster share operands with it.
#pragma once

#include "kernels/bulk_copy.h"
#include "kernels/matmul/async_tiles.h"
#include "kernels/matmul/tensor_ends.h"

/// Where a block is among those that share operands with it, which lie row by row; their ranks in the cluster
/// begin at `first`.
template <class T>
struct Sharing {
  int row, column, first;
  __device__ __forceinline__ explicit Sharing(int rank)
      : row(T::kBelow > 1 ? rank % T::kCluster / T::kBeside : 0),
        column(T::kBeside > 1 ? rank % T::kBeside : 0),
        first(T::kPieces > 1 ? rank / T::kCluster * T::kCluster : 0) {}
  /// A bit for each block with the same rows of A, and with the same columns of B.
  __device__ __forceinline__ unsigned with_a() const {
    return ((1u << T::kBeside) - 1) << (first + row * T::kBeside);
  }
  __device__ __forceinline__ unsigned with_b() const {
    constexpr unsigned kOneOfEachRow = ((1u << T::kCluster) - 1) / ((1u << T::kBeside) - 1);
    return kOneOfEachRow << (first + column);
  }
};

/// The tiles of a cluster: every kClusters-th of the pairs (or single ones) in bands of `band` of them.
template <class T>
struct Order {
  using Tile = T;
  int rows, columns, tiles, band, rank, k_steps;
  int last_row, last_column;  ///< no tile is computed from later ones
  __device__ __forceinline__ Order(int m, int n, int k, int band_)
      : rows((m + T::kM * T::kBelow - 1) / (T::kM * T::kBelow)),
        columns((n + T::kN * T::kBeside - 1) / (T::kN * T::kBeside)),
        tiles(rows * columns),
        band(band_),
        rank(T::kCluster == 1 ? 0
             : T::kPieces > 1 ? rank_in_cluster() % T::kCluster
                              : rank_in_cluster()),
        k_steps((k + T::kK - 1) / T::kK),
        last_row(last(m, T::kM, T::Lies::kColumnsA)),
        last_column(last(n, T::kN, true)) {}
  /// Of `size` rows or columns. Copies begin at multiples of 16 bytes within a row, and what threads store of
  /// one at multiples of eight columns.
  static __device__ __forceinline__ int last(int size, int tile, bool by_eight) {
    return T::kEnds && size >= tile ? (by_eight ? (size + 7) / 8 * 8 : size) - tile : 1 << 30;
  }
  __device__ __forceinline__ Spot spot(int tile) const {
    Spot s;
    place(tile, s.own_row, s.own_column);
    s.row = min(s.own_row, last_row), s.column = min(s.own_column, last_column);
    return s;
  }
  /// False: a tile of this order has no mirror image (tensor_parts.h).
  __device__ __forceinline__ bool place(int tile, int& row, int& column) const {
    place_in_bands(tile, rows, columns, band, row, column);
    row = (row * T::kBelow + (T::kBelow > 1 ? rank / T::kBeside : 0)) * T::kM;
    column = (column * T::kBeside + (T::kBeside > 1 ? rank % T::kBeside : 0)) * T::kN;
    return false;
  }
};
