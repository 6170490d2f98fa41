// out: each element is the sum of the (2R+1)² elements of `in` around it, in float32, with nothing ever
// subtracted, for R up to 143 at much the same price; any stride and alignment.
//
// In both directions 32 neighbouring windows are summed together. Rows are cut into chunks of 32. The windows
// that begin in a chunk have the rows behind it in common, up to where the first of them ends: whole chunks,
// whose sums are kept, and the beginning of one more. To that a window adds the chunk's end from its own
// first row on, and the rows that follow the common ones up to its own last. So each row is read twice: when
// windows end there, and 2R rows later when windows begin. The sums of 32 rows lie in shared memory then, and
// the same is done along them.
//
// A block walks over a strip of up to `THREADS` columns of the output, every other one upwards: it begins
// where its neighbour does, so that the rows that both read come from memory once.
#pragma once

#include "kernels/box_sum/area.h"

constexpr int kChunk = 32, kMostChunks = 8;  ///< rows of a chunk; chunks that a window may have in common

/// 2R + 1 are q whole chunks and p rows or columns more.
struct WindowParts {
  int q, p;
};

/// Of one column: the sums of the last chunks, in shared memory (the k-th of the strip at k % kMostChunks ·
/// apart), and of the rows since.
struct ColumnState {
  float* chunks;
  int apart;
  float since;

  /// Chunk k is full; `next`: what the next one has already.
  __device__ __forceinline__ void push(int k, float next) {
    chunks[k % kMostChunks * apart] = since;
    since = next;
  }
  /// What the windows that begin in chunk k have in common.
  __device__ __forceinline__ float common(int k, int q) const {
    float sum = since;
    for (int j = 1; j < q; ++j) sum += chunks[(k + j) % kMostChunks * apart];
    return sum;
  }
};

/// Rows of a column, one after the other; those from `rows` on are 0.
struct ColumnRows {
  const float* in;
  long long step;
  int rows;
  __device__ __forceinline__ float operator()(int row) const { return row < rows ? in[row * step] : 0; }
  /// N rows from `first` on. SURE: all of them are there.
  template <int N, bool SURE>
  __device__ __forceinline__ void read(float (&to)[N], int first) const {
    const float* from = in + first * step;
#pragma unroll
    for (int i = 0; i < N; ++i, from += step) to[i] = SURE || first + i < rows ? *from : 0;
  }
};

/// The rows before the first chunk's windows can be computed: from the second chunk on.
__device__ __forceinline__ void start_column(ColumnState& state, const ColumnRows& rows,
                                             const WindowParts& parts) {
  state.since = 0;
  for (int chunk = 1; chunk < parts.q; ++chunk) {
#pragma unroll 8
    for (int i = 0; i < kChunk; ++i) state.since += rows(chunk * kChunk + i);
    state.push(chunk, 0);
  }
#pragma unroll 4
  for (int i = 0; i < parts.p; ++i) state.since += rows(parts.q * kChunk + i);
}

/// The sums of the windows that begin in the chunk from row `first` on, to `to`, `pitch` words apart.
template <bool SURE>
__device__ __forceinline__ void sum_column(ColumnState& state, const ColumnRows& rows, int first,
                                           const WindowParts& parts, float* to, int pitch) {
  float ends[kChunk];  // from row i to the chunk's end
  rows.read<kChunk, SURE>(ends, first);
#pragma unroll
  for (int i = kChunk - 2; i >= 0; --i) ends[i] += ends[i + 1];
  const int chunk = first / kChunk;
  float behind = state.common(chunk, parts.q);
  const int next = first + parts.q * kChunk + parts.p;
  float since = 0;  // the chunk after the one that fills up
#pragma unroll
  for (int batch = 0; batch < kChunk; batch += 8) {
    float v[8];
    rows.read<8, SURE>(v, next + batch);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      to[(batch + i) * pitch] = ends[batch + i] + behind;
      behind += v[i];
      if (parts.p + batch + i < kChunk)
        state.since += v[i];
      else
        since += v[i];
    }
  }
  state.push(chunk + parts.q, since);
}

/// `width`: outputs of a strip, at most THREADS − 2R. `height`: output rows of a block. Grid: strips ×
/// ⌈output rows / height⌉. Dynamic shared memory: 4 · (32 · (THREADS + 1) + THREADS) bytes.
template <int THREADS>
__device__ __forceinline__ void chunk_sums(const Area& area, int r, int width, int height) {
  extern __shared__ float shared_sums[];
  constexpr int kPitch = THREADS + 1, kWarps = THREADS / 32;  // 32 rows of a column are in all banks
  float* const totals = shared_sums + kChunk * kPitch;        // [kWarps][32]: of 32 columns, for each row
  const int t = threadIdx.x, lane = t % 32, group = t / 32;
  const WindowParts parts = {(2 * r + 1) / kChunk, (2 * r + 1) % kChunk};
  const int x0 = blockIdx.x * width, top = blockIdx.y * height;
  const int out_rows = min(height, area.rows - 2 * r - top),
            out_columns = min(width, area.columns - 2 * r - x0);
  if (out_rows <= 0 || out_columns <= 0) return;
  const bool up = blockIdx.y % 2 != 0;
  const int in_rows = out_rows + 2 * r;
  const int x = min(t, out_columns + 2 * r - 1);  // threads behind the last column read that one, for nobody
  const float* const in =
      area.in + static_cast<size_t>(up ? top + in_rows - 1 : top) * area.in_stride + x0 + x;
  float* out = area.out + static_cast<size_t>(up ? top + out_rows - 1 : top) * area.out_stride + x0;
  const long long out_step = up ? -static_cast<long long>(area.out_stride) : area.out_stride;
  const ColumnRows rows = {in, up ? -static_cast<long long>(area.in_stride) : area.in_stride, in_rows};
  const float* const mine =
      shared_sums + lane * kPitch + group * 32;  // along the rows: 32 windows of row `lane`
  const bool has_windows = group * 32 < out_columns;

  ColumnState state = {totals + THREADS + t, THREADS, 0};
  start_column(state, rows, parts);
#pragma unroll 1
  for (int first = 0; first < out_rows; first += kChunk) {
    if (first + 2 * r + 1 + kChunk <= in_rows)
      sum_column<true>(state, rows, first, parts, shared_sums + t, kPitch);
    else
      sum_column<false>(state, rows, first, parts, shared_sums + t, kPitch);
    __syncthreads();
    float ends[32];
#pragma unroll
    for (int i = 0; i < 32; ++i) ends[i] = mine[i];
#pragma unroll
    for (int i = 30; i >= 0; --i) ends[i] += ends[i + 1];
    totals[group * 32 + lane] = ends[0];
    __syncthreads();
    if (has_windows) {
      float behind = 0;
      for (int j = 1; j < parts.q; ++j) behind += totals[(group + j) * 32 + lane];
      const float* next = mine + parts.q * 32;
      for (int i = 0; i < parts.p; ++i) behind += next[i];
      next += parts.p;
#pragma unroll
      for (int i = 0; i < 32; ++i) {
        ends[i] += behind;
        if (i < 31) behind += next[i];
      }
    }
    __syncthreads();  // everyone has read
    if (has_windows) {
      float* to = shared_sums + lane * kPitch + group * 32;
#pragma unroll
      for (int i = 0; i < 32; ++i) to[i] = ends[i];
    }
    __syncthreads();
    for (int row = group; row < min(kChunk, out_rows - first); row += kWarps) {
      float* line = out + (first + row) * out_step;
      for (int x = lane; x < out_columns; x += 32) line[x] = shared_sums[row * kPitch + x];
    }
    __syncthreads();
  }
}
