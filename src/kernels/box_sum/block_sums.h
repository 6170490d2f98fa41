// out: each element is the sum of the (2R+1)² elements of `in` around it, R ≥ 2, in float32, with nothing
// ever subtracted.
//
// Down the columns: rows are cut into blocks of 2R+1. A window of 2R+1 rows is the end of a block and the
// beginning of the next: the sum from its first row to its block's end, and the sum from the next block's
// beginning to its last row (van Herk; Gil and Werman). Both take one addition an element, and no sum has
// more than 2R+1 terms. A thread has four columns; the rows of its last block lie in shared memory, where
// the sums to the block's end replace them.
//
// Along the rows: a window is what is left of the thread's own four columns, whole fours of its neighbours,
// and the beginning of one or two more.
//
// Rows are worked on in chunks of 3 to 5. They arrive by asynchronous copies, AHEAD chunks before they are
// needed; a thread copies what it reads itself, so that only the fours of a chunk pass a barrier.
#pragma once

#include "kernels/box_sum/area.h"

constexpr int kChunkRows = 5;  ///< at most

struct AllRows {
  static constexpr bool value = true;
};
struct SomeRows {
  static constexpr bool value = false;
};

/// A chunk of N rows. LAST: the block's end.
template <int N, bool LAST>
struct Rows {
  static constexpr int kRows = N;
  static constexpr bool kLast = LAST;
};

__device__ __forceinline__ void add_to(float4& sum, const float4& v) {
  sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
}

/// `width`: outputs of a strip, a multiple of 4, at most 4 · BS − 2R (rounded down to fours). `height`:
/// output rows of a block. Grid: strips × ⌈output rows / height⌉: blocks side by side work on the same rows.
/// Dynamic shared memory: 16 · BS · (2R + 1 + AHEAD · kChunkRows) + 40 · BS · kChunkRows bytes.
template <int BS, int AHEAD>
__device__ __forceinline__ void block_sums(const Area& area, int r, int width, int height) {
  extern __shared__ __align__(16) float4 shared[];
  const int t = threadIdx.x, window = 2 * r + 1, side = area.columns - 2 * r, x = blockIdx.x * width + 4 * t;
  const int top = blockIdx.y * height, bottom = min(top + height, area.rows - 2 * r);
  const int steps = bottom - top + 2 * r;
  if (top >= bottom) return;
  const bool here = x < area.columns, stores = 4 * t < width && x < side;
  float4* const block = shared + t;                          // [window][BS]: the rows of a block
  float4* const arriving = block + window * BS;              // [AHEAD][kChunkRows][BS]
  float4* const fours = arriving + AHEAD * kChunkRows * BS;  // [2][kChunkRows][BS]: of windows' rows
  float* const totals = reinterpret_cast<float*>(fours - t + 2 * kChunkRows * BS) + t;  // the same: of fours
  const float* column = area.in + static_cast<size_t>(top) * area.in_stride + (here ? x : 0);
  const int last = window % 4 == 1 ? 5 : 3;  // rows of a block's last chunk

  // The next chunk of rows.
  int copied = 0, copied_inside = 0, copy_stage = 0;
  const auto copy_chunk = [&]() __attribute__((always_inline)) {
    const int rows = window - copied_inside <= 5 ? last : 4;
    const unsigned place = shared_address(arriving + copy_stage * kChunkRows * BS);
    if (area.chunks && copied + 4 < steps) {
#pragma unroll
      for (int i = 0; i < kChunkRows; ++i)
        if (i < 3 || i < rows)
          copy_16(place + i * BS * 16, column + static_cast<size_t>(i) * area.in_stride, here);
    } else {
#pragma unroll 1
      for (int i = 0; i < rows; ++i) {
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          const bool inside = x + q < area.columns && copied + i < steps;
          copy_4(place + i * BS * 16 + q * 4,
                 inside ? column + static_cast<size_t>(i) * area.in_stride + q : area.in, inside);
        }
      }
    }
    end_group();
    column += static_cast<size_t>(rows) * area.in_stride;
    copied += rows;
    copied_inside = copied_inside + rows == window ? 0 : copied_inside + rows;
    copy_stage = copy_stage + 1 == AHEAD ? 0 : copy_stage + 1;
  };

  int stage = 0, buffer = 0;
  float4 sum = {};  // of the block's rows so far
  float* to = area.out + static_cast<size_t>(top) * area.out_stride + x;

  // A chunk that begins with row `first` of the part, which is row `inside` of its block.
  const auto add_chunk = [&](int first, int inside, auto rows, auto all) __attribute__((always_inline)) {
    constexpr int N = decltype(rows)::kRows;
    constexpr bool kAll = decltype(all)::value;
    wait_for_groups<AHEAD - 1>();
    const float4* row = arriving + stage * kChunkRows * BS;
    float4* at = block + inside * BS;
    float4 sums[N];
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const float4 v = row[i * BS];
      add_to(sum, v);
      sums[i] = sum;
      if (!(decltype(rows)::kLast && i == N - 1)) add_to(sums[i], at[(i + 1) * BS]);
      at[i * BS] = v;
    }
    stage = stage + 1 == AHEAD ? 0 : stage + 1;
    copy_chunk();
    if (!kAll && first + N <= 2 * r) return;  // no window is full yet
    float4* four = fours + buffer * kChunkRows * BS;
    float* total = totals + buffer * kChunkRows * BS;
    buffer ^= 1;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      four[i * BS] = sums[i];
      total[i * BS] = (sums[i].x + sums[i].y) + (sums[i].z + sums[i].w);
    }
    __syncthreads();
    if (!stores) return;
    float middle[N] = {};
    const int end = r / 2;  // fours to the one that the first window ends in
#pragma unroll 4
    for (int j = 1; j < end; ++j) {
#pragma unroll
      for (int i = 0; i < N; ++i) middle[i] += total[i * BS + j];
    }
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if (!kAll && (first + i < 2 * r || first + i >= steps)) continue;
      const float4 v = sums[i], e = four[i * BS + end];
      const float last_two = v.z + v.w + middle[i], first_two = e.x + e.y;
      float4 o = {v.x + v.y + last_two, v.y + last_two, last_two, v.w + middle[i]};
      if (r % 2 == 0) {
        const float three = first_two + e.z;
        o.x += e.x, o.y += first_two, o.z += three, o.w += three + e.w;
      } else {
        const float4 f = four[i * BS + end + 1];
        const float whole = first_two + (e.z + e.w);
        o.x += first_two + e.z, o.y += whole, o.z += whole + f.x, o.w += whole + (f.x + f.y);
      }
      if (area.wide) {
        *reinterpret_cast<float4*>(to) = o;
      } else {
        to[0] = o.x;
        if (x + 1 < side) to[1] = o.y;
        if (x + 2 < side) to[2] = o.z;
        if (x + 3 < side) to[3] = o.w;
      }
      to += area.out_stride;
    }
  };

#pragma unroll 1
  for (int i = 0; i < AHEAD; ++i) copy_chunk();
#pragma unroll 1
  for (int i = 0; i < window; ++i) block[i * BS] = {};  // there is no block above the first one
#pragma unroll 1
  for (int first = 0; first < steps; first += window) {
    sum = {};
    const auto add_block = [&](auto all) __attribute__((always_inline)) {
      int inside = 0;
#pragma unroll 1
      for (; window - inside > 5; inside += 4) add_chunk(first + inside, inside, Rows<4, false>{}, all);
      if (last == 5)
        add_chunk(first + inside, inside, Rows<5, true>{}, all);
      else
        add_chunk(first + inside, inside, Rows<3, true>{}, all);
    };
    if (first > 0 && first + window <= steps)
      add_block(AllRows{});
    else
      add_block(SomeRows{});
    // Sums to the block's end.
    float4 below = {};
    float4* at = block + 2 * r * BS;
#pragma unroll 4
    for (int i = 0; i < 2 * r; ++i, at -= BS) {
      add_to(below, *at);
      *at = below;
    }
  }
}
