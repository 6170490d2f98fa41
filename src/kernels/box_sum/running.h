// out: each element is the sum of the (2R+1)² elements of `in` around it, for any R at the same price.
//
// A block walks down a strip of 4 · BS columns. A thread holds the sums of the last 2R+1 words of its four
// columns: a row is added, the row 2R+1 above it is taken away. A prefix sum over the strip then gives every
// window's sum as a difference of two. The sums are float64: nothing of what has left the window remains in
// the result, which is rounded once.
//
// Rows arrive by asynchronous copies, BATCH at a time and AHEAD batches before they are needed. A thread
// copies what it reads itself, so these need no barrier. With HOLD the last 2R+1 rows stay in shared memory
// and every word comes from global memory once; without, a row comes a second time when it is taken away,
// from L2 if it is still there.
#pragma once

#include "kernels/box_sum/area.h"

/// Rows of the ring that holds those that are still to be taken away.
template <int BATCH, int AHEAD, bool HOLD>
__device__ __forceinline__ int ring_rows(int r) {
  return (HOLD ? (2 * r + BATCH) / BATCH * BATCH : 0) + (AHEAD + 1) * BATCH;
}

struct Sure {
  static constexpr bool value = true;
};
struct Maybe {
  static constexpr bool value = false;
};

/// A step of a prefix sum over a warp: adds the value of the lane `apart` below, if there is one.
__device__ __forceinline__ void add_from_lane_below(double& value, int apart) {
  asm("{ .reg .pred p; .reg .b32 lo, hi; .reg .f64 other;\n"
      "mov.b64 {lo, hi}, %0;\n"
      "shfl.sync.up.b32 lo, lo, %1, 0, 0xffffffff;\n"
      "shfl.sync.up.b32 hi|p, hi, %1, 0, 0xffffffff;\n"
      "mov.b64 other, {lo, hi};\n"
      "@p add.f64 %0, %0, other; }"
      : "+d"(value)
      : "r"(apart));
}

/// `width`: outputs of a strip, a multiple of 4, at most 4 · BS − 2R. `height`: output rows of a block.
/// Grid: strips × ⌈output rows / height⌉. Dynamic shared memory: 16 · BS bytes for each row of the rings (one
/// with HOLD, else two) and 2 · BATCH · (32 · BS + BS / 4) bytes.
template <int BS, int BATCH, int AHEAD, bool HOLD>
__device__ __forceinline__ void running(const Area& area, int r, int width, int height) {
  extern __shared__ __align__(16) float4 rows[];
  constexpr int kWarps = BS / 32;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, side = area.columns - 2 * r, window = 2 * r + 1;
  const int slots = ring_rows<BATCH, AHEAD, HOLD>(r);
  float4* leaving = rows + (HOLD ? 0 : slots * BS);
  double2* pairs = reinterpret_cast<double2*>(rows + (HOLD ? 1 : 2) * slots * BS);  // [2][BATCH][2][BS]
  double* totals = reinterpret_cast<double*>(pairs + 4 * BATCH * BS);               // [2][BATCH][kWarps]
  const int x = blockIdx.x * width + 4 * t;                                         // the first column
  const int top = blockIdx.y * height, bottom = min(top + height, area.rows - 2 * r);
  const int steps = bottom - top + 2 * r;
  if (top >= bottom) return;
  const bool here = x < area.columns;
  const float* column = area.in + (here ? x : 0);
  const size_t back = static_cast<size_t>(window) * area.in_stride;
  const unsigned base = shared_address(rows);

  // SURE: every row of the batch is copied, and added, and taken away, and stored, in chunks.
  const auto copy_batch = [&](int first, int slot, auto sure) {
    constexpr bool kSure = decltype(sure)::value;
    const float* from = column + static_cast<size_t>(top + min(first, steps - 1)) * area.in_stride;
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      const int s = first + i;
      const unsigned to = base + ((slot + i) * BS + t) * 16;
      if (kSure || area.chunks) {
        copy_16(to, from, kSure ? here : here && s < steps);
        if (!HOLD && (kSure || s >= window))
          copy_16(to + slots * BS * 16, from - back, kSure ? here : here && s < steps);
      } else {
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          const bool there = x + q < area.columns && s < steps;
          copy_4(to + q * 4, from + q, there);
          if (!HOLD && s >= window) copy_4(to + slots * BS * 16 + q * 4, from - back + q, there);
        }
      }
      from += area.in_stride;
    }
    end_group();
  };

  int slot = 0, next = AHEAD * BATCH;         // of this batch, and of the one to be copied
  int left_slot = HOLD ? slots - window : 0;  // of the row to be taken away
  double sum[4] = {};                         // of the columns
  int buffer = 0;
  const int at = 2 * t + r, there = at / 64, next_there = (at + 1) / 64;  // the window's end: pair and warp
  const double2* ends = pairs + (at & 1) * BS + at / 2;
  const double2* next_ends = pairs + (at + 1 & 1) * BS + (at + 1) / 2;
  const bool stores = 4 * t < width && x < side;
  float* to = area.out + static_cast<size_t>(top) * area.out_stride + x;

  const auto add_batch = [&](int first, auto sure) {
    constexpr bool kSure = decltype(sure)::value;
    wait_for_groups<AHEAD - 1>();
    double prefix[BATCH][4];
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      const float4 v = rows[(slot + i) * BS + t];
      sum[0] += v.x, sum[1] += v.y, sum[2] += v.z, sum[3] += v.w;
      if (kSure || first + i >= window) {
        const float4 u = leaving[(HOLD ? left_slot : slot + i) * BS + t];
        sum[0] -= u.x, sum[1] -= u.y, sum[2] -= u.z, sum[3] -= u.w;
      }
      if (HOLD) left_slot = left_slot + 1 == slots ? 0 : left_slot + 1;
      prefix[i][0] = sum[0];
#pragma unroll
      for (int j = 1; j < 4; ++j) prefix[i][j] = prefix[i][j - 1] + sum[j];
    }
    copy_batch(first + AHEAD * BATCH, next, sure);
    slot = slot + BATCH == slots ? 0 : slot + BATCH;
    next = next + BATCH == slots ? 0 : next + BATCH;
    if (!kSure && first + BATCH - 1 < 2 * r) return;  // no window is full yet

    double before[BATCH];  // the sum of all columns of this warp left of the thread's
#pragma unroll
    for (int i = 0; i < BATCH; ++i) before[i] = prefix[i][3];
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2)
#pragma unroll
      for (int i = 0; i < BATCH; ++i) add_from_lane_below(before[i], apart);
    double2* pair = pairs + buffer * 2 * BATCH * BS + t;
    double* total = totals + buffer * BATCH * kWarps;
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      if (lane == 31) total[i * kWarps + warp] = before[i];
      const double own = before[i] - prefix[i][3];
      before[i] = own;
      pair[2 * i * BS] = {prefix[i][0] + own, prefix[i][1] + own};
      pair[(2 * i + 1) * BS] = {prefix[i][2] + own, prefix[i][3] + own};
    }
    __syncthreads();
    if (stores) {
#pragma unroll
      for (int i = 0; i < BATCH; ++i) {
        const int s = first + i;
        if (!kSure && (s < 2 * r || s >= steps)) continue;
        double between = -before[i];  // whole warps inside the window, less what lies left of it in the first
        for (int w = warp; w < there; ++w) between += total[i * kWarps + w];
        const double2 a = ends[(buffer * BATCH + i) * 2 * BS], b = next_ends[(buffer * BATCH + i) * 2 * BS];
        const double more = next_there > there ? between + total[i * kWarps + there] : between;
        const float4 v = make_float4(
            static_cast<float>(a.x + between), static_cast<float>(a.y + between - prefix[i][0]),
            static_cast<float>(b.x + more - prefix[i][1]), static_cast<float>(b.y + more - prefix[i][2]));
        if (kSure || area.wide) {
          *reinterpret_cast<float4*>(to) = v;
        } else {
          to[0] = v.x;
          if (x + 1 < side) to[1] = v.y;
          if (x + 2 < side) to[2] = v.z;
          if (x + 3 < side) to[3] = v.w;
        }
        to += area.out_stride;
      }
    }
    buffer ^= 1;
  };

#pragma unroll
  for (int b = 0; b < AHEAD; ++b) copy_batch(b * BATCH, b * BATCH, Maybe{});
  int first = 0;
#pragma unroll 1
  for (; first < window && first < steps; first += BATCH) add_batch(first, Maybe{});
  if (area.chunks && area.wide) {
#pragma unroll 1
    for (; first + (AHEAD + 1) * BATCH <= steps; first += BATCH) add_batch(first, Sure{});
  }
#pragma unroll 1
  for (; first < steps; first += BATCH) add_batch(first, Maybe{});
}
