// As small_windows.h, for rows of `in` that begin at multiples of 16 bytes: a lane has four columns. Where
// rows end within 16 bytes, words behind their ends are read, too, except behind the last one's: the last row
// of results, for which that one is needed, is computed by blocks of its own.
//
// Where the results' rows begin at multiples of 8 bytes only, each lane hands its first two to the lane
// before, so that all of them store 16 bytes at a multiple of 16.
#pragma once

#include "kernels/box_sum/small_windows.h"

/// t: four of this lane's and the next one's values, from the one at `by` on. WORDS: `by` is a multiple; with
/// 4 it is 0.
template <int WORDS>
__device__ __forceinline__ void turned(float (&t)[4], const float (&s)[4], int by) {
  if (WORDS == 4) {
#pragma unroll
    for (int c = 0; c < 4; ++c) t[c] = s[c];
    return;
  }
  const float next[2] = {__shfl_down_sync(0xffffffff, s[0], 1), __shfl_down_sync(0xffffffff, s[1], 1)};
#pragma unroll
  for (int c = 0; c < 4; ++c) t[c] = by == 0 ? s[c] : c < 2 ? s[c + 2] : next[c - 2];
}

/// Adds up, in place, the windows that begin in the first CHUNK of these rows.
template <int R, int CHUNK>
__device__ __forceinline__ void windows_down(float (&rows)[2 * R + CHUNK][4]) {
  constexpr int kWindow = 2 * R + 1, kTogether = kWindow >= CHUNK ? CHUNK : kWindow >= 4 ? 4 : 1;
#pragma unroll
  for (int first = 0; first < CHUNK; first += kTogether)
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      // What all of them have in common, and before it what each has from its first row on.
      float sum = rows[first + kTogether - 1][c], before = 0, behind = 0;
#pragma unroll
      for (int i = kTogether; i < kWindow; ++i) sum += rows[first + i][c];
      rows[first + kTogether - 1][c] = sum;
#pragma unroll
      for (int i = kTogether - 2; i >= 0; --i) {
        before = i == kTogether - 2 ? rows[first + i][c] : before + rows[first + i][c];
        rows[first + i][c] = sum + before;
      }
#pragma unroll
      for (int i = 1; i < kTogether; ++i) {
        const float last = rows[first + i + 2 * R][c];
        behind = i == 1 ? last : behind + last;
        rows[first + i][c] += behind;
      }
    }
}

/// Four columns of row after row. AHEAD: rows of them that are on their way to shared memory, a multiple of
/// CHUNK; with 0 a chunk is on its way to registers.
template <int CHUNK, int AHEAD>
struct RowsOfFour {
  const float* from;
  long long step;
  int left;  ///< rows
  unsigned shared;
  const float4* read;
  int at = 0;  ///< place in shared memory
  float4 next[CHUNK];

  __device__ __forceinline__ const float* following() {
    const float* const row = from;
    from += --left > 0 ? step : 0;
    return row;
  }
  template <int ROWS>
  __device__ __forceinline__ void load() {
#pragma unroll
    for (int i = 0; i < ROWS; ++i) next[i] = *reinterpret_cast<const float4*>(following());
  }
  __device__ __forceinline__ void copy(int place) {
    const bool more = left > 0;
    copy_16(shared + 512 * place, following(), more);
  }
  /// Before the first take<ROWS, …>.
  template <int ROWS>
  __device__ __forceinline__ void start() {
    if constexpr (AHEAD == 0) {
      load<ROWS>();
    } else {
#pragma unroll
      for (int i = 0; i < AHEAD; ++i) {
        copy(i);
        if ((i + 1) % CHUNK == 0) end_group();
      }
    }
  }
  /// f(i, columns) for the next ROWS rows, at most a chunk; NEXT: of the next call.
  template <int ROWS, int NEXT, class F>
  __device__ __forceinline__ void take(F f) {
    if constexpr (AHEAD == 0) {
#pragma unroll
      for (int i = 0; i < ROWS; ++i) f(i, next[i]);
      load<NEXT>();
    } else {
      wait_for_groups<AHEAD / CHUNK - 1>();
#pragma unroll
      for (int i = 0; i < ROWS; ++i) {
        f(i, read[32 * at]);
        copy(at);
        at = (at + 1) % AHEAD;
      }
      end_group();
    }
  }
};

/// sums[BEGIN] to sums[2R − 1]: windows along the rows that come before the first chunk.
template <int R, int CHUNK, int AHEAD, int BEGIN>
__device__ __forceinline__ void first_rows(float (&sums)[2 * R + CHUNK][4], RowsOfFour<CHUNK, AHEAD>& rows) {
  if constexpr (BEGIN < 2 * R) {
    constexpr int kRest = 2 * R - BEGIN, kRows = kRest < CHUNK ? kRest : CHUNK,
                  kNext = kRows == kRest || kRest - kRows > CHUNK ? CHUNK : kRest - kRows;
    rows.template take<kRows, kNext>([&](int i, float4 q) {
      const float columns[4] = {q.x, q.y, q.z, q.w};
      windows_of_lane<R, 4>(sums[BEGIN + i], columns);
    });
    first_rows<R, CHUNK, AHEAD, BEGIN + kRows>(sums, rows);
  }
}

/// The last row of results: this warp's part, from sums down the columns.
template <int R, int OUT>
__device__ __forceinline__ void last_row_of_windows(const Area& area, int warp) {
  constexpr int kOwn = kSmallOwn<R, 4, OUT>;
  const int row = area.rows - 2 * R - 1, begin = threadIdx.x % 32 * 4, x = warp * kOwn + begin;
  const float* const from = area.in + static_cast<size_t>(row) * area.in_stride + x;
  float* const to = area.out + static_cast<size_t>(row) * area.out_stride + x;
  float v[4] = {}, s[4];
#pragma unroll
  for (int y = 0; y <= 2 * R; ++y)
#pragma unroll
    for (int c = 0; c < 4; ++c)
      if (x + c < area.columns) v[c] += from[static_cast<size_t>(y) * area.in_stride + c];
  windows_of_lane<R, 4>(s, v);
#pragma unroll
  for (int c = 0; c < 4; ++c)
    if (begin + c < kOwn && x + c < area.columns - 2 * R) to[c] = s[c];
}

/// OUT: words of which rows of `out` begin at multiples, 2 or 4. Grid as for small_windows; where rows of
/// `in` or `out` end within 16 bytes (RAGGED), a row of blocks more. Shared memory: AHEAD · 512 bytes a warp.
template <int R, int OUT, int CHUNK, int AHEAD, bool RAGGED = false>
__device__ __forceinline__ void small_windows_of_four(const Area& area, int height) {
  extern __shared__ __align__(128) float4 small_windows_shared[];
  constexpr int kOwn = kSmallOwn<R, 4, OUT>;
  const int lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (RAGGED && blockIdx.y == 0) {
    last_row_of_windows<R, OUT>(area, warp);
    return;
  }
  const int out_columns = area.columns - 2 * R, x0 = warp * kOwn, x = x0 + 4 * lane,
            part = blockIdx.y - (RAGGED ? 1 : 0), top = part * height,
            out_rows = min(height, area.rows - 2 * R - (RAGGED ? 1 : 0) - top);
  if (x0 >= out_columns || out_rows <= 0) return;
  const bool up = part % 2 != 0;  // neighbours begin at the same rows
  const long long in_step = up ? -static_cast<long long>(area.in_stride) : area.in_stride,
                  out_step = up ? -static_cast<long long>(area.out_stride) : area.out_stride;
  const int in_rows = out_rows + 2 * R;
  // A lane beyond the row's end reads its last columns; nothing is stored of what it adds up.
  const float* const from = area.in + static_cast<size_t>(up ? top + in_rows - 1 : top) * area.in_stride +
                            min(x, (area.columns - 1) / 4 * 4);
  float* to = area.out + static_cast<size_t>(up ? top + out_rows - 1 : top) * area.out_stride + x;
  // Of eight rows, 4 bits each: words to the next sector, and whether this lane stores 16 bytes.
  unsigned begins = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const auto word = reinterpret_cast<size_t>(to - 4 * lane + i * out_step) / 4;
    const int begin = static_cast<int>((8 - word % 8) % 8), first = begin / 4 * 4;
    const bool stores = (x0 == 0 || 4 * lane >= first) && 4 * lane < kOwn + first && x < out_columns;
    begins |= static_cast<unsigned>(begin + (stores ? 8 : 0)) << 4 * i;
  }
  // A warp with a row's first or last words stores pairs, without turning.
  const bool last = x0 + kOwn + 8 > out_columns;
  const bool edge = OUT < 4 ? x0 == 0 || last : RAGGED && last;
  float4* const mine = small_windows_shared + threadIdx.x / 32 * AHEAD * 32 + lane;
  RowsOfFour<CHUNK, AHEAD> rows{from, in_step, in_rows, shared_address(mine), mine};
  float sums[2 * R + CHUNK][4];
  rows.template start<(2 * R < CHUNK ? 2 * R : CHUNK)>();
  first_rows<R, CHUNK, AHEAD, 0>(sums, rows);
#pragma unroll 1
  for (int row = 0; row < out_rows; row += CHUNK) {
    rows.template take<CHUNK, CHUNK>([&](int i, float4 q) {
      const float columns[4] = {q.x, q.y, q.z, q.w};
      windows_of_lane<R, 4>(sums[2 * R + i], columns);
    });
    windows_down<R, CHUNK>(sums);
#pragma unroll
    for (int i = 0; i < CHUNK; ++i) {
      float* const out = to + i * out_step;
      const int begin = static_cast<int>(begins & 7);
      const bool stores = (begins & 8) != 0 && i < out_rows - row;
      begins = __funnelshift_r(begins, begins, 4);
      if (edge) {
        const int first = x0 == 0 ? 0 : begin;
#pragma unroll
        for (int c = 0; c < 4; c += 2)
          if (i < out_rows - row && 4 * lane + c >= first && 4 * lane + c < kOwn + begin) {
            if (!RAGGED ? x + c < out_columns : x + c + 1 < out_columns)
              *reinterpret_cast<float2*>(out + c) = {sums[i][c], sums[i][c + 1]};
            else if (RAGGED && x + c < out_columns)
              out[c] = sums[i][c];
          }
      } else {
        float t[4];
        turned<OUT>(t, sums[i], begin % 4);
        if (stores) *reinterpret_cast<float4*>(out + begin % 4) = {t[0], t[1], t[2], t[3]};
      }
    }
    to += CHUNK * out_step;
#pragma unroll
    for (int i = 0; i < 2 * R; ++i)
#pragma unroll
      for (int c = 0; c < 4; ++c) sums[i][c] = sums[i + CHUNK][c];
  }
}

/// As SmallWindows in strips.h says. AHEAD: its bytes of shared memory / 512.
#define SMALL_WINDOWS_OF_FOUR(R, OUT, AHEAD)                \
  extern "C" __global__ void __launch_bounds__(kSmallFours) \
      small_windows_##R##_4_##OUT(Area area, int height) {  \
    small_windows_of_four<R, OUT, 8, AHEAD>(area, height);  \
  }
#define SMALL_WINDOWS_RAGGED(R, OUT, AHEAD)                         \
  extern "C" __global__ void __launch_bounds__(kSmallFours)         \
      small_windows_##R##_4_##OUT##_ragged(Area area, int height) { \
    small_windows_of_four<R, OUT, 8, AHEAD, true>(area, height);    \
  }

/// What both are compiled for (as small_windows_form() in strips.h has them): FOUR(radius, OUT, AHEAD) of
/// lanes of four columns, OTHER(radius, V, WORDS).
#define EACH_SMALL_WINDOWS(FOUR, OTHER) \
  FOUR(1, 2, 0)                         \
  FOUR(2, 4, 0)                         \
  FOUR(3, 2, 0)                         \
  FOUR(4, 4, 0)                         \
  FOUR(5, 2, 0)                         \
  FOUR(6, 4, kSmallAhead)               \
  FOUR(7, 2, kSmallAhead)               \
  FOUR(8, 4, kSmallAhead)               \
  FOUR(10, 4, kSmallAhead)              \
  OTHER(1, 2, 2)                        \
  OTHER(3, 2, 2) OTHER(5, 2, 2) OTHER(1, 4, 1) OTHER(2, 4, 1) OTHER(3, 4, 1) OTHER(4, 2, 1) OTHER(5, 2, 1)
