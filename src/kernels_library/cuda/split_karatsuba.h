// Float32 matrices of any layout for Karatsuba's scheme (kernels/matmul/karatsuba.h): both are given as
// matrices of rows along k, the second one turned. One launch finds the largest of each row, and where a
// matrix lies by rows, counts its small elements and splits it, too. A matrix that lies by columns is split
// by the next launch.
#pragma once

#include "kernels/matmul/karatsuba.h"
#include "kernels_library/cuda/split.h"

/// For each row of the first matrix and behind them of the second how many elements are small, 0 before (of
/// matrices that lie by columns); and the most of each matrix (Smalls).
struct SmallCounts {
  int *rows, *most;
};

/// Eight elements of a row; what lies outside of it is 0.
__device__ __forceinline__ void load_eight(const Source& s, int row, int column, float (&v)[8]) {
  const float* const from = s.data + static_cast<size_t>(row) * s.stride + column;
  if (s.fours && column + 8 <= s.columns) {
    const float4 low = reinterpret_cast<const float4*>(from)[0],
                 high = reinterpret_cast<const float4*>(from)[1];
    v[0] = low.x, v[1] = low.y, v[2] = low.z, v[3] = low.w;
    v[4] = high.x, v[5] = high.y, v[6] = high.z, v[7] = high.w;
  } else {
#pragma unroll
    for (int j = 0; j < 8; ++j) v[j] = column + j < s.columns ? from[j] : 0;
  }
}
__device__ __forceinline__ int largest_of(const float (&v)[8]) {
  int most = 0;
#pragma unroll
  for (int j = 0; j < 8; ++j) most = max(most, bits(v[j]));
  return most;
}
__device__ __forceinline__ int count_small(const float (&v)[8], int inside, unsigned below) {
  int small = 0;
#pragma unroll
  for (int j = 0; j < 8; ++j) small += j < inside && magnitude_bits(v[j]) < below;
  return small;
}
template <SplitFor OF>
__device__ __forceinline__ void split_eight(const Source& s, int row, int column, const float (&v)[8],
                                            int exponent) {
  split_karatsuba<OF>(v, exponent,
                      reinterpret_cast<uint4*>(s.parts) + (static_cast<size_t>(row) * s.pitch + column) / 8,
                      static_cast<size_t>(s.rows) * (s.pitch / 8), column);
}

/// Nobody needs the parts, as far as is known. Counts only grow: where they do not fit before all is counted,
/// they never will.
template <SplitFor OF>
__device__ __forceinline__ bool in_vain(const volatile int* most, int small, int columns) {
  return !Smalls::fit(max(most[0], OF == SplitFor::second ? 0 : small),
                      max(most[1], OF == SplitFor::first ? 0 : small), columns);
}
/// The same, known before a block reads anything: all of its threads agree.
__device__ __forceinline__ bool all_in_vain(const int* most, int columns) {
  return __syncthreads_or(threadIdx.x == 0 && in_vain<SplitFor::lower>(most, 0, columns)) != 0;
}
template <SplitFor OF>
__device__ __forceinline__ void keep_most(int* most, int small, int columns) {
  if (small <= Smalls::few(columns)) return;
    // Nearly all find that another has said as much already.
#pragma unroll
  for (int i = OF == SplitFor::second; i <= (OF != SplitFor::first); ++i)
    if (small > static_cast<volatile int*>(most)[i]) atomicMax(most + i, small);
}

/// Threads for a row of eight elements each: whole warps, a part of the block.
__device__ __forceinline__ int threads_of_eights(int columns) { return threads_of_row((columns + 1) / 2); }

/// Over the threads of a row; all of the block take part.
template <class OP>
__device__ __forceinline__ int over_row(int value, int threads, OP op) {
  __shared__ int of_warp[8];
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) value = op(value, __shfl_xor_sync(~0u, value, apart));
  __syncthreads();  // all have read what was there before
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  const int first = threadIdx.x / threads * threads / 32;
  for (int w = 0; w < threads / 32; ++w)
    if (first + w != static_cast<int>(threadIdx.x) / 32) value = op(value, of_warp[first + w]);
  return value;
}

/// Rows of a matrix that lies by rows, from beginning to end: a block has one or, of short ones, several.
template <SplitFor OF>
__device__ __forceinline__ void split_rows(const Source& s, int block, const SmallCounts& counts) {
  constexpr int kKept = 2;  // pieces that stay in registers; the others are read again from the caches
  const int threads = threads_of_eights(s.columns), row = block * (256 / threads) + threadIdx.x / threads,
            first = 8 * (threadIdx.x % threads), apart = 8 * threads, end = row < s.rows ? s.pitch : 0;
  float kept[kKept][8] = {};
#pragma unroll
  for (int i = 0; i < kKept; ++i)
    if (first + i * apart < end) load_eight(s, row, first + i * apart, kept[i]);
  const auto each = [&](auto act) {
#pragma unroll
    for (int i = 0; i < kKept; ++i)
      if (first + i * apart < end) act(first + i * apart, kept[i]);
    for (int column = first + kKept * apart; column < end; column += apart) {
      float v[8];
      load_eight(s, row, column, v);
      act(column, v);
    }
  };
  int largest = 0, small = 0;
  each([&](int, const float(&v)[8]) { largest = max(largest, largest_of(v)); });
  largest = over_row(largest, threads, [](int a, int b) { return max(a, b); });
  const unsigned below = small_below(static_cast<unsigned>(largest));
  each([&](int column, const float(&v)[8]) { small += count_small(v, s.columns - column, below); });
  small = over_row(small, threads, [](int a, int b) { return a + b; });
  const int exponent = exponent_for(static_cast<unsigned>(largest));
  if (end > 0 && first == 0) {
    s.raised[row] = exponent;
    keep_most<OF>(counts.most, small, s.columns);
  }
  if (in_vain<OF>(counts.most, small, s.columns)) return;
  each([&](int column, const float(&v)[8]) { split_eight<OF>(s, row, column, v, exponent); });
}

/// The largest of each row of a matrix that lies by columns, in a tile of it.
__device__ __forceinline__ void scan_turned(const Source& s, int block) {
  Source turned = s;
  turned.by_columns = 0, turned.rows = s.columns, turned.columns = s.rows;
  find_largest_of_columns(turned, tile_of(turned, block, s.scanned));
}

/// One place for all kinds of matrices.
__device__ __forceinline__ float (*turned_values())[kTurnedColumns] {
  __shared__ __align__(16) float values[kTurnedRows][kTurnedColumns];
  return values;
}

/// 32 rows of 128 columns of a matrix that lies by columns, from the last tile to the first: what has been
/// scanned last may still be in L2. A warp has two rows at a time, a thread eight columns of each.
template <SplitFor OF>
__device__ __forceinline__ void split_turned(const Source& s, int block, const SmallCounts& counts) {
  if (all_in_vain(counts.most, s.columns)) return;
  float(*const values)[kTurnedColumns] = turned_values();
  const int across = (s.rows + kTurnedRows - 1) / kTurnedRows,
            tile = across * ((s.columns + kTurnedColumns - 1) / kTurnedColumns) - 1 - block,
            row0 = tile % across * kTurnedRows, column0 = tile / across * kTurnedColumns,
            lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float loaded[kTurnedColumns / 8];
#pragma unroll
  for (int i = 0; i < kTurnedColumns / 8; ++i) {
    const int column = column0 + warp + 8 * i;
    loaded[i] = row0 + lane < s.rows && column < s.columns
                    ? s.data[static_cast<size_t>(column) * s.stride + row0 + lane]
                    : 0;
  }
  // Words of a row change places by its number, so that a column's are in as many banks.
#pragma unroll
  for (int i = 0; i < kTurnedColumns / 8; ++i) values[lane][(warp + 8 * i) ^ lane] = loaded[i];
  __syncthreads();
  const int k = lane % 16 * 8, column = column0 + k;
#pragma unroll
  for (int i = 0; i < kTurnedRows; i += 16) {
    const int r = i + 2 * warp + lane / 16, row = row0 + r;
    float v[8];
#pragma unroll
    for (int half = 0; half < 8; half += 4) {
      float4 f = *reinterpret_cast<const float4*>(&values[r][(k + half) ^ (r & ~3)]);
      if (r & 1) f = {f.y, f.x, f.w, f.z};
      if (r & 2) f = {f.z, f.w, f.x, f.y};
      v[half] = f.x, v[half + 1] = f.y, v[half + 2] = f.z, v[half + 3] = f.w;
    }
    const unsigned largest = row < s.rows ? static_cast<unsigned>(s.largest[row]) : 0;
    int small = count_small(v, s.columns - column, small_below(largest));
#pragma unroll
    for (int apart = 8; apart > 0; apart /= 2) small += __shfl_xor_sync(~0u, small, apart);
    if (row >= s.rows) continue;
    const bool counts_row = k == 0 && small > 0;
    const int before = counts_row ? atomicAdd(counts.rows + row, small) : 0;
    const int exponent = exponent_for(largest);
    if (column == 0) s.raised[row] = exponent;
    if (column < s.pitch) split_eight<OF>(s, row, column, v, exponent);
    if (counts_row) keep_most<OF>(counts.most, before + small, s.columns);
  }
}

/// A matrix's blocks of the first launch.
template <SplitFor OF>
__device__ __forceinline__ void scan_one(const Source& s, int block, const SmallCounts& counts) {
  if (all_in_vain(counts.most, s.columns)) return;
  if (s.by_columns)
    scan_turned(s, block);
  else
    split_rows<OF>(s, block, counts);
}
/// Two matrices, the first of which has `blocks`.
__device__ __forceinline__ void scan_both(const Sources& sources, SmallCounts counts, int blocks) {
  const int block = blockIdx.x;
  if (block < blocks) return scan_one<SplitFor::first>(sources.of[0], block, counts);
  counts.rows += sources.of[0].rows;
  scan_one<SplitFor::second>(sources.of[1], block - blocks, counts);
}
/// Those of them that lie by columns, likewise.
__device__ __forceinline__ void split_both(const Sources& sources, SmallCounts counts, int blocks) {
  const int block = blockIdx.x;
  if (block < blocks) return split_turned<SplitFor::first>(sources.of[0], block, counts);
  counts.rows += sources.of[0].rows;
  split_turned<SplitFor::second>(sources.of[1], block - blocks, counts);
}
__device__ __forceinline__ void begin_scan(const Sources& sources) {
  wait_for_launch();
  let_next_launch();
  if (blockIdx.x == 0)
    for (int i = threadIdx.x; i < sources.count_of_counts; i += 256) sources.counts[i] = 0;
}
