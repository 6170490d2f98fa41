// out: each element is the sum of the (2R+1)² elements of `in` around it, in float32, for small R, with
// nothing ever subtracted, in registers alone.
//
// A lane has V neighbouring columns of a row and learns by shuffles what its neighbours have. It goes down
// the rows, CHUNK at a time, and keeps the sums along the last 2R rows. Each warp's results begin and end
// where sectors of the row's memory do, since L2 takes whole ones faster.
#pragma once

#include "kernels/box_sum/area.h"
#include "kernels/box_sum/bulk_shape.h"

template <int WORDS>
struct Words {
  using Type = float;
};
template <>
struct Words<2> {
  using Type = float2;
};

/// s: the windows that begin in this lane's columns v.
template <int R, int V>
__device__ __forceinline__ void windows_of_lane(float (&s)[V], const float (&v)[V]) {
  constexpr int kAll = V + 2 * R;
  float all[kAll];
#pragma unroll
  for (int i = 0; i < kAll; ++i) all[i] = i < V ? v[i] : __shfl_down_sync(0xffffffff, v[i % V], i / V);
  if (2 * R + 1 >= V) {
    float common = all[V - 1];
#pragma unroll
    for (int i = V; i <= 2 * R; ++i) common += all[i];
    float before = 0, behind = 0;
    s[V - 1] = common;
#pragma unroll
    for (int i = V - 2; i >= 0; --i) before = i == V - 2 ? all[i] : before + all[i], s[i] = common + before;
#pragma unroll
    for (int i = 1; i < V; ++i) behind = i == 1 ? all[2 * R + i] : behind + all[2 * R + i], s[i] += behind;
  } else {
#pragma unroll
    for (int i = 0; i < V; ++i) {
      s[i] = all[i];
#pragma unroll
      for (int j = 1; j <= 2 * R; ++j) s[i] += all[i + j];
    }
  }
}

/// WORDS: of which rows of `in` and `out` begin and end at multiples, 1 or 2; V is a multiple. Grid: ⌈output
/// columns / kSmallOwn / warps of a block⌉ × ⌈output rows / height⌉.
template <int R, int V, int CHUNK, int WORDS>
__device__ __forceinline__ void small_windows(const Area& area, int height) {
  constexpr int kOwn = kSmallOwn<R, V>;
  static_assert(kOwn > 0);
  const int lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int out_columns = area.columns - 2 * R, x0 = warp * kOwn, x = x0 + V * lane,
            top = blockIdx.y * height, rows = min(height, area.rows - 2 * R - top);
  if (x0 >= out_columns || rows <= 0) return;
  const bool up = blockIdx.y % 2 != 0;  // neighbours begin at the same rows
  const long long in_step = up ? -static_cast<long long>(area.in_stride) : area.in_stride,
                  out_step = up ? -static_cast<long long>(area.out_stride) : area.out_stride;
  const int in_rows = rows + 2 * R;
  const float* from = area.in + static_cast<size_t>(up ? top + in_rows - 1 : top) * area.in_stride + x;
  float* to = area.out + static_cast<size_t>(up ? top + rows - 1 : top) * area.out_stride + x;
  unsigned mine = 0;  // rows of a chunk of which this lane stores results
#pragma unroll
  for (int i = 0; i < CHUNK; ++i) {
    const int at = static_cast<int>(reinterpret_cast<size_t>(to - V * lane + i * out_step) / 4 % 8),
              shift = (8 - at) % 8 / V * V;
    const bool stores = (x0 == 0 || V * lane >= shift) && V * lane < kOwn + shift && x < out_columns;
    mine |= stores ? 1u << i : 0;
  }
  float kept[2 * R + CHUNK][V], next[CHUNK][V];
  int y = 0;
  const auto load = [&](float(&to)[V]) {
    using Piece = typename Words<WORDS>::Type;
#pragma unroll
    for (int c = 0; c < V; c += WORDS) {
      Piece q = {};
      if (x + c < area.columns) q = *reinterpret_cast<const Piece*>(from + c);
      *reinterpret_cast<Piece*>(to + c) = q;
    }
    from += y + 1 < in_rows ? in_step : 0;  // beyond the last row: that row again
    ++y;
  };
#pragma unroll
  for (int begin = 0; begin < 2 * R; begin += CHUNK) {
#pragma unroll
    for (int i = 0; i < CHUNK; ++i)
      if (begin + i < 2 * R) load(next[i]);
#pragma unroll
    for (int i = 0; i < CHUNK; ++i)
      if (begin + i < 2 * R) windows_of_lane<R, V>(kept[begin + i], next[i]);
  }
#pragma unroll
  for (int i = 0; i < CHUNK; ++i) load(next[i]);
#pragma unroll 1
  for (int row = 0; row < rows; row += CHUNK) {
#pragma unroll
    for (int i = 0; i < CHUNK; ++i) windows_of_lane<R, V>(kept[2 * R + i], next[i]);
#pragma unroll
    for (int i = 0; i < CHUNK; ++i) load(next[i]);
    const unsigned here = rows - row >= CHUNK ? mine : mine & ((1u << (rows - row)) - 1);
#pragma unroll
    for (int i = 0; i < CHUNK; ++i) {
      using Piece = typename Words<WORDS>::Type;
      float s[V];
#pragma unroll
      for (int c = 0; c < V; ++c) {
        s[c] = kept[i][c];
#pragma unroll
        for (int j = 1; j <= 2 * R; ++j) s[c] += kept[i + j][c];
      }
#pragma unroll
      for (int c = 0; c < V; c += WORDS)
        if ((here >> i & 1) != 0 && (c == 0 || x + c < out_columns))
          *reinterpret_cast<Piece*>(to + i * out_step + c) = *reinterpret_cast<Piece*>(s + c);
    }
    to += CHUNK * out_step;
#pragma unroll
    for (int i = 0; i < 2 * R; ++i)
#pragma unroll
      for (int c = 0; c < V; ++c) kept[i][c] = kept[i + CHUNK][c];
  }
}

/// As SmallWindows in strips.h says; WORDS: `in` and `out` there.
#define SMALL_WINDOWS(R, V, WORDS)                               \
  extern "C" __global__ void __launch_bounds__(256)              \
      small_windows_##R##_##V##_##WORDS(Area area, int height) { \
    small_windows<R, V, 8, WORDS>(area, height);                 \
  }
