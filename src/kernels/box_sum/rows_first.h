// out: each element is the sum of the (2R+1)² elements of `in` around it, in float32, with nothing ever
// subtracted, every row from global memory once. For GPUs from cc 9.0, and rows of `in` that begin and end at
// multiples of 16 bytes.
//
// Sums along the rows come first: what stays until no window needs it is sums, and the 2R columns beside a
// strip, which have no windows, are never kept. So shared memory holds wide strips also of many rows.
//
// A warp has a whole row, a lane LANE of its columns; the copy engine brings the warp's next rows meanwhile.
// A window is the end of a lane's columns, those of whole lanes, and the beginning of a lane's (van Herk; Gil
// and Werman). It puts the sums into a ring of chunks of 8 rows. From there other warps, a thread for two
// columns, add up 8 neighbouring windows at a time: each is the end of the chunk that it begins in, what all
// of them have in common, and the rows behind. What they have in common is a queue of two stacks: the sums
// from each chunk's beginning to the last row that was there at one time, and the sum of the rows since.
// Barriers in shared memory lead from one to the next.
#pragma once

#include "kernels/box_sum/area.h"
#include "kernels/box_sum/bulk_shape.h"
#include "kernels/bulk_copy.h"

/// How a block's columns are cut, and what it keeps.
struct RowsFirst {
  int width;   ///< outputs of a block, a multiple of 4
  int height;  ///< output rows of a block
  int slots;   ///< chunks of N rows of sums in shared memory: (2R + 1) / N + 2 at least
  int ahead;   ///< rows of `in` in shared memory for each warp that adds up rows
};

/// More whole lanes than a window has: the next power of two for radii up to kRowsFirstTo.
template <int K>
constexpr int kRowsFirstLanes = K == 12 ? 32 : 16;

/// The same for all lanes of a warp; the compiler then keeps it in a register.
template <class T>
__device__ __forceinline__ T kept(T value) {
  return __shfl_sync(0xffffffff, value, 0);
}

/// The windows of a row of `line` columns, by a warp. `loaded()` is called when the row is no longer needed.
template <int K, class LOADED>
__device__ __forceinline__ void windows_along(float (&s)[K], const float* row, int lane, int line, int width,
                                              int r, LOADED loaded) {
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
  float head = 0;  // the first `over` columns
#pragma unroll
  for (int c = 0; c < K; c += 2)
    if (c < over) head += s[c] + s[c + 1];
#pragma unroll
  for (int c = K - 2; c >= 0; --c) s[c] += s[c + 1];
  loaded();
  // Whole lanes: the next `lanes − 1`, by doubling; and the head of the one behind them.
  float some = s[0], middle = __shfl_down_sync(0xffffffff, head, lanes);
  int after = 1;
#pragma unroll
  for (int apart = 1; apart < kRowsFirstLanes<K>; apart *= 2) {
    const float more = __shfl_down_sync(0xffffffff, some, after);
    const bool taken = (lanes - 1 & apart) != 0;
    middle += taken ? more : 0;
    after += taken ? apart : 0;
    some += __shfl_down_sync(0xffffffff, some, apart);
  }
  if (odd) {
#pragma unroll
    for (int c = 0; c < K; ++c) s[c] += middle += v[c + 2];
  } else {
#pragma unroll
    for (int c = 0; c < K; ++c) s[c] += middle += v[c];
  }
}

/// Two columns' windows from the ring of chunks of N rows.
template <int N>
struct SumColumns {
  const float* ring;  ///< [slots · N][width]: this thread's columns
  float* sums;        ///< [whole][sums_pitch]: of chunks, later from chunks to a row
  int width, sums_pitch, slots, whole;
  unsigned full, free;  ///< barriers [slots]
  float* out_at;
  long long out_step;
  int out_rows, out_columns;  ///< columns: of this thread's
  bool wide;

  __device__ __forceinline__ static float2 plus(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
  __device__ __forceinline__ float2 at(int place, int row) const {
    return *reinterpret_cast<const float2*>(ring + (place * N + row) * width);
  }
  __device__ __forceinline__ float2& sum(int place) const {
    return *reinterpret_cast<float2*>(sums + place * sums_pitch);
  }

  /// `run` for this remainder; REST: the least that it may be.
  template <int REST>
  __device__ __forceinline__ void run_rest(int rest, int chunks, int lane) const {
    if (rest == REST)
      run<REST>(chunks, lane);
    else if constexpr (REST + 2 < N)
      run_rest<REST + 2>(rest, chunks, lane);
  }

  /// REST: (2R + 1) % N − 1, rows that the first window has in the chunk behind `whole` chunks.
  template <int REST>
  __device__ __forceinline__ void run(int chunks, int lane) const {
    constexpr int kNeed = REST > 0 ? 1 : 0;
    float2 tail = {}, back = {}, end = {};
    float* out = out_at;
    for (int chunk = 0; chunk < whole; ++chunk) {
      barrier_wait(full + 8 * chunk, 0);
      float2 v[N];
#pragma unroll
      for (int i = 0; i < N; ++i) v[i] = at(chunk, i);
#pragma unroll
      for (int apart = 1; apart < N; apart *= 2)
#pragma unroll
        for (int i = 0; i < N; i += 2 * apart) v[i] = plus(v[i], v[i + apart]);
      sum(chunk) = v[0];
    }
    if (REST > 0) {
      barrier_wait(full + 8 * whole, 0);
#pragma unroll
      for (int i = 0; i < REST; ++i) tail = plus(tail, at(whole, i));
    }
    int place = 0, inside = 0, oldest = 0;  // oldest: chunk % whole
    int mid = whole, last = whole + kNeed, parity = 0;
    float2 now[N];
#pragma unroll
    for (int i = 0; i < N; ++i) now[i] = at(place, i);
#pragma unroll 1
    for (int chunk = 0; chunk < chunks; ++chunk) {
      float2 v[N];
      if (inside == 0) {
        // From each chunk to the last row.
        float2 s = end = tail;
        int p = oldest;
#pragma unroll 4
        for (int k = whole - 1; k > 0; --k) {
          p = p == 0 ? whole - 1 : p - 1;
          s = plus(s, sum(p));
          sum(p) = s;
        }
        back = {};
      }
      const int next = oldest + 1 == whole ? 0 : oldest + 1;
      const float2 front = inside + 1 == whole ? end : sum(next);
      barrier_wait(full + 8 * last, parity);
#pragma unroll
      for (int i = 0; i < N; ++i) v[i] = REST + i < N ? at(mid, REST + i) : at(last, REST + i - N);
      __syncwarp();
      if (lane == 0) barrier_arrive(free + 8 * place);
      now[N - 1] = plus(now[N - 1], front);
#pragma unroll
      for (int i = N - 2; i >= 0; --i) now[i] = plus(now[i], now[i + 1]);
      float2 whole_sum = tail;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        if (REST + i < N) whole_sum = plus(whole_sum, v[i]);
        if (REST + i == N) tail = v[i];
        if (REST + i > N) tail = plus(tail, v[i]);
        back = plus(back, v[i]);
        now[i] = plus(now[i], back);
      }
      sum(oldest) = whole_sum;
      if (wide && out_rows - chunk * N >= N) {  // no branch between the stores
        if (out_columns > 0)
#pragma unroll
          for (int i = 0; i < N; ++i) *reinterpret_cast<float2*>(out + i * out_step) = now[i];
      } else {
        const int rows = min(N, out_rows - chunk * N);
#pragma unroll
        for (int i = 0; i < N; ++i) {
          if (i < rows && out_columns > 0) out[i * out_step] = now[i].x;
          if (i < rows && out_columns > 1) out[i * out_step + 1] = now[i].y;
        }
      }
      out += N * out_step;
      oldest = next;
      inside = inside + 1 == whole ? 0 : inside + 1;
      place = place + 1 == slots ? 0 : place + 1;
#pragma unroll
      for (int i = 0; i < N; ++i) now[i] = at(place, i);  // of the next windows
      mid = mid + 1 == slots ? 0 : mid + 1;
      last = last + 1 == slots ? 0 : last + 1;
      if (last == 0) parity ^= 1;
    }
  }
};

/// LANE: columns of a lane along the rows, 12 or 20, at most 2R; 32 · LANE are at least width + 2R. Grid:
/// strips × ⌈output rows / height⌉. Threads and shared memory: rows_first_cuts in strips.h.
template <int LANE, int N>
__device__ __forceinline__ void rows_first(const Area& area, int r, const RowsFirst& of) {
  extern __shared__ __align__(128) float4 rows_first_shared[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum_warps = blockDim.x / 32 - kRowsFirstWarps;
  const int width = of.width, slots = of.slots, ahead = of.ahead, pitch = width + (2 * r + 3) / 4 * 4;
  const int whole = (2 * r + 1) / N, rest = (2 * r + 1) % N - 1;
  float* const ring = reinterpret_cast<float*>(rows_first_shared);  // [slots · N][width]
  float* const sums = ring + slots * N * width;                     // [whole][64 · sum_warps]
  float* const stage = sums + whole * 64 * sum_warps;               // [warps][ahead][pitch]
  const unsigned full =
      shared_address(stage + kRowsFirstWarps * ahead * pitch);         // barriers: [slots] of the ring
  const unsigned free = full + 8 * slots, arrived = free + 8 * slots;  // [slots]; [warps][ahead]

  const int x0 = blockIdx.x * width, top = blockIdx.y * of.height;
  const int out_rows = min(of.height, area.rows - 2 * r - top),
            out_columns = min(width, area.columns - 2 * r - x0);
  if (out_rows <= 0 || out_columns <= 0) return;
  const int in_rows = out_rows + 2 * r, line = min(pitch, area.columns - x0);
  const bool up = blockIdx.y % 2 != 0;  // neighbours begin at the same rows
  const int chunks = (out_rows + N - 1) / N, all_rows = (chunks + whole + (rest > 0 ? 1 : 0)) * N;
  const long long in_step = up ? -static_cast<long long>(area.in_stride) : area.in_stride,
                  out_step = up ? -static_cast<long long>(area.out_stride) : area.out_stride;
  const float* const from = area.in + static_cast<size_t>(up ? top + in_rows - 1 : top) * area.in_stride + x0;
  float* const out = area.out + static_cast<size_t>(up ? top + out_rows - 1 : top) * area.out_stride + x0;

  if (threadIdx.x == 0) {
    for (int i = 0; i < slots; ++i) barrier_make(full + 8 * i, N), barrier_make(free + 8 * i, sum_warps);
    for (int i = 0; i < kRowsFirstWarps * ahead; ++i) barrier_make(arrived + 8 * i, 1);
    barriers_made();
  }
  __syncthreads();

  if (warp < kRowsFirstWarps) {
    const int most = kept(width), some_slots = kept(slots);
    float* const own = stage + warp * ahead * pitch;
    const unsigned own_barriers = arrived + 8 * warp * ahead;
    const long long next_step = kRowsFirstWarps * in_step;
    const float* next = from + min(warp, in_rows - 1) * in_step;  // the row that is copied next
    int behind = in_rows - 1 - warp;                              // rows behind it
    const auto copy_row = [&](int slot) {  // of the last chunks' rows beyond the last one, any row
      barrier_expect(own_barriers + 8 * slot, 4 * line);
      copy_bytes(shared_address(own + slot * pitch), next, 4 * line, own_barriers + 8 * slot);
      behind -= kRowsFirstWarps;
      if (behind >= 0) next += next_step;
    };
    int left = all_rows - warp;  // to be copied
    if (lane == 0)
      for (int i = 0; i < ahead; ++i, left -= kRowsFirstWarps)
        if (left > 0) copy_row(i);
    int slot = 0, parity = 0;
    int place = warp / N, ring_parity = 0, row_of_place = warp % N;  // of the ring
    bool first = true;
#pragma unroll 1
    for (int y = warp; y < all_rows; y += kRowsFirstWarps) {
      float s[LANE];
      const float* const row = own + slot * pitch;
      barrier_wait(own_barriers + 8 * slot, parity);
      windows_along<LANE>(s, row, lane, line, most, r, [&] {
        __syncwarp();
        if (lane == 0 && left > 0) copy_row(slot), left -= kRowsFirstWarps;
      });
      slot = slot + 1 == ahead ? 0 : slot + 1;
      if (slot == 0) parity ^= 1;
      if (!first) barrier_wait(free + 8 * place, ring_parity);
      float* const to = ring + (place * N + row_of_place) * most + LANE * lane;
#pragma unroll
      for (int c = 0; c < LANE; c += 4)
        if (LANE * lane + c < most) *reinterpret_cast<float4*>(to + c) = {s[c], s[c + 1], s[c + 2], s[c + 3]};
      __syncwarp();
      if (lane == 0) barrier_arrive(full + 8 * place);
      place += kRowsFirstWarps / N;
      if (place >= some_slots) {
        place -= some_slots;
        if (!first) ring_parity ^= 1;
        first = false;
      }
    }
  } else {
    const int x = 2 * (threadIdx.x - 32 * kRowsFirstWarps);
    const SumColumns<N> columns{ring + min(x, width - 2),
                                sums + x,
                                width,
                                64 * sum_warps,
                                slots,
                                whole,
                                full,
                                free,
                                out + x,
                                out_step,
                                out_rows,
                                x < width ? out_columns - x : 0,
                                area.wide};
    columns.template run_rest<0>(rest, chunks, lane);
  }
}
