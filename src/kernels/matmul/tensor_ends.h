// Last tiles on tensor cores that are not whole (tensor_tiles.h).
#pragma once

#include "kernels/bf16.h"

/// Tiles that would reach beyond the end of C begin earlier instead and end where it does: rows and columns
/// that are not there, which the copy engine fills with zeros, take it longer than those that are. Threads
/// store what is such a tile's own; the other results the tiles before have, too.
template <class T>
struct Ending : T {
  static constexpr bool kEnds = true;
  static_assert(T::kParts == 1);
};
/// C as threads write it: rows begin at multiples of 16 bytes.
template <class OUT>
struct Written {
  OUT* data;
  int stride;
};

/// Where a tile is: the first row and column that are its own, and those that it is computed from, which are
/// earlier if it was moved.
struct Spot {
  int own_row, own_column, row, column;
  __device__ __forceinline__ bool moved() const { return row < own_row || column < own_column; }
};

/// Of sixteen results of row y, from column x on, four lanes have two pairs each: those of lane p begin 2·p
/// columns behind x and behind x + 8. Stores what is the tile's own. All threads of a warp.
template <class OUT>
__device__ __forceinline__ void write_sixteen(const Written<OUT>& c, const Spot& at, int y, int x, float2 one,
                                              float2 other, int m, int n) {
  const int p = threadIdx.x % 4;
  OUT* const to = c.data + static_cast<size_t>(y) * c.stride;
  const auto own = [&](int column) {
    return y >= at.own_row && y < m && column >= at.own_column && column < n;
  };
  if constexpr (sizeof(OUT) == 4) {
    const int column = x + 2 * p;
    if (own(column)) *reinterpret_cast<float2*>(to + column) = one;
    if (own(column + 8)) *reinterpret_cast<float2*>(to + column + 8) = other;
  } else {
    // Pairs that lie side by side come to one lane, so that whole sectors are stored.
    const unsigned mine = pack_bf16(one.x, one.y), mine_too = pack_bf16(other.x, other.y);
    unsigned v[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const unsigned low = __shfl_sync(~0u, mine, p % 2 * 2 + i, 4),
                     high = __shfl_sync(~0u, mine_too, p % 2 * 2 + i, 4);
      v[i] = p < 2 ? low : high;
    }
    if (own(x + 4 * p)) *reinterpret_cast<uint2*>(to + x + 4 * p) = make_uint2(v[0], v[1]);
  }
}
