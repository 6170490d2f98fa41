// Windows along rows that lie in shared memory, of which each is at least as long as there are windows side
// by side, with nothing ever subtracted (rows_first.h).
//
// The columns of LANES lanes of C each are one block of a row. A window is the end of the block, all between
// it and column 2R, and the beginning of what lies from there on. So each lane adds up C columns from behind
// and C columns from the front one after the other, and a few shuffles tell it what the others have.
#pragma once

/// `s`: the windows that begin in columns C·lane to C·lane + C − 1 of a row of `line` columns. LANES: 4 or 8
/// neighbouring lanes, of which this is `lane`. 2R: C · LANES to 2 · MOST; MOST 0:
/// any. `loaded()` is called when the row is
/// no longer needed. C: an odd multiple of 4, so that lanes read from different banks.
template <int C, int LANES, int MOST, class LOADED>
__device__ __forceinline__ void long_windows(float (&s)[C], const float* row, int lane, int line, int r,
                                             LOADED loaded) {
  static_assert(C % 8 == 4);
  constexpr int kBlock = C * LANES, kBetween = (2 * MOST - kBlock + 4 * LANES - 1) / (4 * LANES);
  const bool odd = r % 2 != 0;
  const int behind = C * lane + 2 * r - (odd ? 2 : 0), between = 2 * r - kBlock;
  float v[C + 4];
#pragma unroll
  for (int c = 0; c < C; c += 4) {
    const float4 q = *reinterpret_cast<const float4*>(row + C * lane + c);
    s[c] = q.x, s[c + 1] = q.y, s[c + 2] = q.z, s[c + 3] = q.w;
  }
#pragma unroll
  for (int c = 0; c < C + 4; c += 4) {
    float4 q = {};
    if (behind + c < line && (c < C || odd)) q = *reinterpret_cast<const float4*>(row + behind + c);
    v[c] = q.x, v[c + 1] = q.y, v[c + 2] = q.z, v[c + 3] = q.w;
  }
  float mid = 0;
  const auto add_between = [&](int c) {
    float4 q = {};
    if (c < between) q = *reinterpret_cast<const float4*>(row + kBlock + c);
    mid += c + 2 < between ? (q.x + q.y) + (q.z + q.w) : q.x + q.y;
  };
  if constexpr (MOST > 0) {
#pragma unroll
    for (int i = 0; i < kBetween; ++i) add_between(4 * (LANES * i + lane));
  } else {
#pragma unroll 4
    for (int c = 0; c < between; c += 4 * LANES) add_between(c + 4 * lane);
  }
#pragma unroll
  for (int c = C - 2; c >= 0; --c) s[c] += s[c + 1];
  if (odd)
#pragma unroll
    for (int c = 0; c < C; ++c) v[c] = v[c + 2];
#pragma unroll
  for (int c = 1; c < C; ++c) v[c] += v[c - 1];
  loaded();
  // What the lanes behind have of the block, all lanes between, and those before behind column 2R.
  float ends = s[0], begins = v[C - 1], others = 0;
#pragma unroll
  for (int apart = 1; apart < LANES; apart *= 2) {
    const bool upper = (lane & apart) != 0;
    if (2 * apart < LANES) {
      const float more_ends = __shfl_xor_sync(0xffffffff, ends, apart),
                  more_begins = __shfl_xor_sync(0xffffffff, begins, apart);
      others += upper ? more_begins : more_ends;
      ends += more_ends, begins += more_begins;
      mid += __shfl_xor_sync(0xffffffff, mid, apart);
    } else {
      others += mid + __shfl_xor_sync(0xffffffff, mid + (upper ? ends : begins), apart);
    }
  }
#pragma unroll
  for (int c = 0; c < C; ++c) s[c] = (s[c] + others) + v[c];
}
