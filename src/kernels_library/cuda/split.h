// Float32 matrices of any layout as 16-bit parts for tensor cores (kernels/matmul/halves.h): rows × columns
// elements become parts[PARTS][rows][pitch], pitch the next multiple of 8.
#pragma once

#include "kernels/launch_order.h"
#include "kernels/matmul/halves.h"

/// One matrix. `by_columns`: element (row, column) lies at column · stride + row, else at row · stride +
/// column. `fours`: its lines begin at multiples of 16 bytes. `largest` and `raised` (halves only): for each
/// row of the first matrix of a launch and each column of the second, the largest magnitude's bits, and what
/// it is raised by. `scanned`: rows of a tile of the scan, a multiple of 8.
struct Source {
  const float* data;
  uint2* parts;
  int* largest;
  int* raised;
  int stride, by_columns, fours, rows, columns, pitch, scanned;
};
struct Sources {
  Source of[2];
  unsigned* counts;  ///< words that splitting sets to 0 (kernels/matmul/tensor_parts.h, LastTiles)
  int count_of_counts;
};
/// A block of 256 threads takes a tile of 32 × 128 of a matrix that lies by columns; of one that lies by rows
/// 1024 columns of 4 rows, or of more to find the largest.
constexpr int kTurnedRows = 32, kTurnedColumns = 128, kColumns = 1024, kSplitTile = 4;

/// A thread's elements: four columns of four rows.
struct Piece {
  float4 v[4];
  int row, apart, column;  ///< the first row, how far the next is, the first column
};

struct Tile {
  int row, column, count;  ///< the first ones; how many there are
};
/// `height`: rows of a tile of a matrix that lies by rows, of `width` columns.
__device__ __forceinline__ Tile tile_of(const Source& s, int tile, int height, int width = kColumns) {
  const int wide = s.by_columns ? kTurnedColumns : width, high = s.by_columns ? kTurnedRows : height;
  const int across = (s.columns + wide - 1) / wide;
  return {tile / across * high, tile % across * wide, across * ((s.rows + high - 1) / high)};
}
/// Threads for a row of a matrix that lies by rows, so that few are without work where rows are short: whole
/// warps, a part of the block.
__device__ __forceinline__ int threads_of_row(int columns) {
  return columns > 512 ? 256 : columns > 256 ? 128 : columns > 128 ? 64 : 32;
}

__device__ __forceinline__ Piece load_turned(const Source& s, const Tile& tile) {
  __shared__ float values[kTurnedColumns][kTurnedRows + 1];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll 4
  for (int j = warp; j < kTurnedColumns; j += 8) {
    const bool inside = tile.row + lane < s.rows && tile.column + j < s.columns;
    values[j][lane] = inside ? s.data[static_cast<size_t>(tile.column + j) * s.stride + tile.row + lane] : 0;
  }
  __syncthreads();
  Piece piece;
  piece.row = tile.row + warp, piece.apart = 8, piece.column = tile.column + 4 * lane;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int r = warp + 8 * i;
    piece.v[i] = make_float4(values[4 * lane][r], values[4 * lane + 1][r], values[4 * lane + 2][r],
                             values[4 * lane + 3][r]);
  }
  return piece;
}

/// Rows from `row` on; what lies outside of the matrix is 0.
__device__ __forceinline__ Piece load_straight(const Source& s, int row, int column) {
  Piece piece;
  piece.row = row, piece.apart = 1, piece.column = column;
  const int left = s.columns - column;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float* from = s.data + static_cast<size_t>(row + i) * s.stride + column;
    float4 v = make_float4(0, 0, 0, 0);
    if (row + i < s.rows) {
      if (s.fours && left >= 4) {
        v = *reinterpret_cast<const float4*>(from);
      } else {
        if (left > 0) v.x = from[0];
        if (left > 1) v.y = from[1];
        if (left > 2) v.z = from[2];
        if (left > 3) v.w = from[3];
      }
    }
    piece.v[i] = v;
  }
  return piece;
}

/// Splits a piece. BY_ROW: what elements are raised by is their row's, else their column's.
template <class TYPE, int PARTS, bool RAISED>
__device__ __forceinline__ void split_piece(const Source& s, const Piece& piece, bool by_row) {
  if (piece.column >= s.pitch) return;
  int column_exponent[4] = {};
  if (RAISED && !by_row) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (piece.column + j >= s.columns) break;
      column_exponent[j] = exponent_for(s.largest[piece.column + j]);
      if (piece.row == 0) s.raised[piece.column + j] = column_exponent[j];
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = piece.row + piece.apart * i;
    if (row >= s.rows) break;
    float4 v = piece.v[i];
    if (RAISED) {
      const int e = by_row ? exponent_for(s.largest[row]) : 0;
      if (by_row && piece.column == 0) s.raised[row] = e;
      v = make_float4(raise(v.x, e + column_exponent[0]), raise(v.y, e + column_exponent[1]),
                      raise(v.z, e + column_exponent[2]), raise(v.w, e + column_exponent[3]));
    }
    split_four<TYPE, PARTS>(v, s.parts + (static_cast<size_t>(row) * s.pitch + piece.column) / 4,
                            static_cast<size_t>(s.rows) * (s.pitch / 4));
  }
}

/// Grid: the greater number of tiles, or fewer blocks × 1 or 2 matrices; 256 threads.
template <class TYPE, int PARTS, bool RAISED>
__device__ __forceinline__ void split(const Sources& sources) {
  wait_for_launch();
  let_next_launch();
  if (blockIdx.x == 0 && blockIdx.y == 0)
    for (int i = threadIdx.x; i < sources.count_of_counts; i += 256) sources.counts[i] = 0;
  const bool first = blockIdx.y == 0;
  const Source s = first ? sources.of[0] : sources.of[1];  // an index would copy both to local memory
  const int threads = threads_of_row(s.columns), row = threadIdx.x / threads * kSplitTile,
            column = threadIdx.x % threads * 4;
  for (int at = blockIdx.x;; at += gridDim.x) {
    const Tile tile = tile_of(s, at, 256 / threads * kSplitTile, 4 * threads);
    if (at >= tile.count) return;
    if (s.by_columns) {
      split_piece<TYPE, PARTS, RAISED>(s, load_turned(s, tile), first);
      __syncthreads();  // before others write to shared memory again
    } else {
      split_piece<TYPE, PARTS, RAISED>(s, load_straight(s, tile.row + row, tile.column + column), first);
    }
  }
}

__device__ __forceinline__ int bits(float v) { return static_cast<int>(magnitude_bits(v)); }

/// A row's largest over the warp's lanes to memory.
__device__ __forceinline__ void keep_largest_of_rows(const Source& s, const Piece& piece) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float4& v = piece.v[i];
    int most = max(max(bits(v.x), bits(v.y)), max(bits(v.z), bits(v.w)));
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) most = max(most, __shfl_xor_sync(~0u, most, apart));
    const int row = piece.row + piece.apart * i;
    if (threadIdx.x % 32 == 0 && row < s.rows) atomicMax(&s.largest[row], most);
  }
}
__device__ __forceinline__ void raise_to(int (&most)[4], const Piece& piece) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float4& v = piece.v[i];
    most[0] = max(most[0], bits(v.x)), most[1] = max(most[1], bits(v.y));
    most[2] = max(most[2], bits(v.z)), most[3] = max(most[3], bits(v.w));
  }
}

__device__ __forceinline__ void keep_largest_of_columns(const Source& s, const int (&most)[4], int column) {
#pragma unroll
  for (int j = 0; j < 4; ++j)
    if (column + j < s.columns) atomicMax(&s.largest[column + j], most[j]);
}
/// A tile of a matrix that lies by rows. Two pieces are on their way at a time; rows behind the tile's last
/// one are of the next tile.
template <class ACT>
__device__ __forceinline__ void each_piece(const Source& s, const Tile& tile, int column, ACT act) {
  for (int row = tile.row; row < min(tile.row + s.scanned, s.rows); row += 8) {
    const Piece pieces[2] = {load_straight(s, row, column), load_straight(s, row + 4, column)};
#pragma unroll
    for (const Piece& piece : pieces) act(piece);
  }
}
__device__ __forceinline__ void find_largest_of_columns(const Source& s, const Tile& tile) {
  int most[4] = {};
  const int column = tile.column + 4 * threadIdx.x;
  each_piece(s, tile, column, [&](const Piece& piece) { raise_to(most, piece); });
  keep_largest_of_columns(s, most, column);
}

/// Of finite floats the magnitudes' bits are in the order of the magnitudes. `largest` is 0 before. Rows of
/// the first matrix, columns of the second. `height`: rows of a tile of a matrix that lies by rows, a
/// multiple of 4. Grid: the greater number of tiles × 1 or 2 matrices; 256 threads.
__device__ __forceinline__ void find_largest(const Sources& sources) {
  wait_for_launch();
  let_next_launch();
  const bool by_row = blockIdx.y == 0;
  const Source s = by_row ? sources.of[0] : sources.of[1];
  const Tile tile = tile_of(s, blockIdx.x, s.scanned);
  if (static_cast<int>(blockIdx.x) >= tile.count) return;
  if (s.by_columns) {
    const Piece piece = load_turned(s, tile);
    if (by_row) return keep_largest_of_rows(s, piece);
    int most[4] = {};
    raise_to(most, piece);
    keep_largest_of_columns(s, most, piece.column);
  } else if (by_row) {
    each_piece(s, tile, tile.column + 4 * threadIdx.x,
               [&](const Piece& piece) { keep_largest_of_rows(s, piece); });
  } else {
    find_largest_of_columns(s, tile);
  }
}
