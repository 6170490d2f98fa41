// Windows along rows that lie in shared memory, by a warp, with nothing ever subtracted (rows_first.h).
//
// A lane has K neighbouring columns. A window is the end of a lane's columns, those of whole lanes (by
// doubling), and the beginning of a lane's (van Herk; Gil and Werman).
#pragma once

/// The same for all lanes of a warp; the compiler then keeps it in a register.
template <class T>
__device__ __forceinline__ T kept(T value) {
  return __shfl_sync(0xffffffff, value, 0);
}

/// The windows of a row of `line` columns in shared memory, by LANES neighbouring lanes, of which this is
/// `lane`; `width` windows. `loaded()` is called when the row is no longer needed. K: even; K · LANES columns
/// or less, and at least one whole lane in a window. PARTS: of a lane, each in a lane's role; with more than
/// one a window is as long as one part, and shorter than two.
template <int K, int LANES, int PARTS = 1, class LOADED>
__device__ __forceinline__ void windows_along(float (&s)[K], const float* row, int lane, int line, int width,
                                              int r, LOADED loaded) {
  constexpr int kMost = K == 12 ? 32 : 16;  // more whole lanes than a window of rows_first_strips has
  const int from = K * lane, lanes = 2 * r / K, over = 2 * r % K;
  const bool odd = r % 2 != 0;
  float v[K + 4];
#pragma unroll
  for (int c = 0; c < K; c += 4) {
    float4 q = {};
    if (from + c < line) q = *reinterpret_cast<const float4*>(row + from + c);
    s[c] = q.x, s[c + 1] = q.y, s[c + 2] = q.z, s[c + 3] = q.w;
  }
  const int behind = from + 2 * r - (odd ? 2 : 0);
#pragma unroll
  for (int c = 0; c < K + 4; c += 4) {
    float4 q = {};
    if (from < width && behind + c < line && (c < K || odd))
      q = *reinterpret_cast<const float4*>(row + behind + c);
    v[c] = q.x, v[c + 1] = q.y, v[c + 2] = q.z, v[c + 3] = q.w;
  }
  if constexpr (PARTS > 1) {
    constexpr int kPart = K / PARTS;
    float heads[PARTS + 1] = {};
#pragma unroll
    for (int p = 0; p < PARTS; ++p) {
#pragma unroll
      for (int c = 0; c < kPart; c += 2)
        if (c < 2 * r - kPart) heads[p] += s[kPart * p + c] + s[kPart * p + c + 1];
#pragma unroll
      for (int c = kPart - 2; c >= 0; --c) s[kPart * p + c] += s[kPart * p + c + 1];
    }
    loaded();
    heads[PARTS] = __shfl_down_sync(0xffffffff, heads[0], 1, LANES);
#pragma unroll
    for (int c = 0; c < K; ++c) s[c] += heads[c / kPart + 1] += odd ? v[c + 2] : v[c];
    return;
  }
  float head = 0;  // the first `over` columns
#pragma unroll
  for (int c = 0; c < K; c += 2)
    if (c < over) head += s[c] + s[c + 1];
#pragma unroll
  for (int c = K - 2; c >= 0; --c) s[c] += s[c + 1];
  loaded();
  // Whole lanes: the next `lanes − 1`, by doubling; and the head of the one behind them.
  float some = s[0], middle = __shfl_down_sync(0xffffffff, head, lanes, LANES);
  int after = 1;
#pragma unroll
  for (int apart = 1; apart < kMost; apart *= 2) {
    const float more = __shfl_down_sync(0xffffffff, some, after, LANES);
    const bool taken = (lanes - 1 & apart) != 0;
    middle += taken ? more : 0;
    after += taken ? apart : 0;
    if (2 * apart < kMost) some += __shfl_down_sync(0xffffffff, some, apart, LANES);
  }
  if (odd) {
#pragma unroll
    for (int c = 0; c < K; ++c) s[c] += middle += v[c + 2];
  } else {
#pragma unroll
    for (int c = 0; c < K; ++c) s[c] += middle += v[c];
  }
}
