// Float32 matrices of any layout for Karatsuba's scheme (kernels/matmul/karatsuba.h): both are given as
// matrices of rows along k, the second one turned.
#pragma once

#include "kernels/matmul/karatsuba.h"
#include "kernels_library/cuda/split.h"

/// For each row of the first matrix and behind them of the second how many elements are small, 0 before; and
/// the most of each matrix (Smalls).
struct SmallCounts {
  int *rows, *most;
};

/// What a matrix is split for. Lower: for A·Aᵀ, both operands at once.
enum class SplitFor { first, second, lower };

/// A warp has 128 columns of each row of a piece. `in_vain`: nobody is going to read the parts.
template <SplitFor OF>
__device__ __forceinline__ void split_piece_karatsuba(const Source& s, const Piece& piece,
                                                      const SmallCounts& counts, bool in_vain) {
  const size_t apart = static_cast<size_t>(s.rows) * (s.pitch / 4);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = piece.row + piece.apart * i;
    if (row >= s.rows) break;
    const unsigned largest = s.largest[row], below = small_below(largest);
    const float v[4] = {piece.v[i].x, piece.v[i].y, piece.v[i].z, piece.v[i].w};
    int small = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j)
      small += __popc(__ballot_sync(~0u, piece.column + j < s.columns && magnitude_bits(v[j]) < below));
    if (small > 0 && threadIdx.x % 32 == 0) {
      const int all = atomicAdd(counts.rows + row, small) + small;
      // Nearly all find that another has said as much already.
      if (all > Smalls::few(s.columns) && all > *static_cast<volatile int*>(counts.most)) {
        atomicMax(counts.most, all);
        if (OF == SplitFor::lower) atomicMax(counts.most + 1, all);
      }
    }
    const int e = exponent_for(largest);
    if (piece.column == 0) s.raised[row] = e;
    if (piece.column >= s.pitch || in_vain) continue;
    const float4 raised = {raise(v[0], e), raise(v[1], e), raise(v[2], e), raise(v[3], e)};
    uint2* const to = s.parts + (static_cast<size_t>(row) * s.pitch + piece.column) / 4;
    if constexpr (OF == SplitFor::lower)
      split_karatsuba_lower(raised, to, apart, piece.column);
    else
      split_karatsuba<OF == SplitFor::second>(raised, to, apart, piece.column);
  }
}

template <SplitFor OF>
__device__ __forceinline__ void split_one(const Source& s, const SmallCounts& counts, bool in_vain) {
  const Tile tile = tile_of(s, blockIdx.x, kSplitTile);
  if (static_cast<int>(blockIdx.x) >= tile.count) return;
  if (s.by_columns)
    split_piece_karatsuba<OF>(s, load_turned(s, tile), counts, in_vain);
  else
    split_piece_karatsuba<OF>(s, load_straight(s, tile.row, tile.column + 4 * threadIdx.x), counts, in_vain);
}
/// Grid: the greater number of tiles × 2 matrices, or LOWER × 1; 256 threads.
template <bool LOWER>
__device__ __forceinline__ void split_for_karatsuba(const Sources& sources, SmallCounts counts) {
  wait_for_launch();
  let_next_launch();
  if (blockIdx.x == 0 && blockIdx.y == 0)
    for (int i = threadIdx.x; i < sources.count_of_counts; i += 256) sources.counts[i] = 0;
  // Counts only grow: where they do not fit before all is counted, they never will.
  const volatile int* most = counts.most;
  const bool in_vain = !Smalls::fit(most[0], most[1], sources.of[0].columns);
  if constexpr (LOWER) {
    split_one<SplitFor::lower>(sources.of[0], counts, in_vain);
  } else {
    if (blockIdx.y == 0) return split_one<SplitFor::first>(sources.of[0], counts, in_vain);
    counts.rows += sources.of[0].rows, ++counts.most;
    split_one<SplitFor::second>(sources.of[1], counts, in_vain);
  }
}
