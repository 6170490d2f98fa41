// Windows down the columns from a ring of rows of sums in shared memory, with nothing ever subtracted
// (rows_first.h).
//
// A thread has one or two columns and adds up N neighbouring windows at a time: each is the end of the chunk
// that it begins in, what all of them have in common, and the rows behind. What they have in common is a
// queue of two stacks: the sums from each chunk's beginning to the last row that was there at one time, and
// the sum of the rows since.
#pragma once

#include "kernels/box_sum/bulk_shape.h"
#include "kernels/bulk_copy.h"

__device__ __forceinline__ float plus(float a, float b) { return a + b; }
__device__ __forceinline__ float2 plus(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }

/// V: float or float2, the columns of a thread. N: rows of a chunk. SHIFTED: every fourth row of the ring
/// begins at a column of its own; only with float. HELD: chunks that a thread holds in registers before
/// windows no longer need them, at most `whole`.
template <int N, class V, bool SHIFTED, int HELD, bool SECTORS>
struct SumColumns {
  static constexpr int kColumns = sizeof(V) / sizeof(float);

  const float* rows[SHIFTED ? 4 : 1];  ///< the ring, [slots · N][pitch]: this thread's columns
  float* sums;                         ///< [whole][sums_pitch]: of chunks, later from chunks to a row
  int pitch, sums_pitch, slots, whole;
  unsigned full, free;  ///< barriers [slots]
  float* out_at;
  long long out_step;
  int out_rows, out_columns;  ///< columns: of this thread's
  bool pairs;                 ///< with two columns: rows of `out` begin at multiples of 8 bytes
  bool odd;                   ///< with SECTORS: of these rows a last column has no other beside it
  unsigned stores;  ///< with SECTORS, bits: of eight rows, those of which this thread stores results

  __device__ __forceinline__ V at(int place, int row) const {
    return *reinterpret_cast<const V*>(rows[SHIFTED ? row % 4 : 0] + (place * N + row) * pitch);
  }
  __device__ __forceinline__ V& sum(int place) const {
    return *reinterpret_cast<V*>(sums + place * sums_pitch);
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
    V tail = {}, back = {}, end = {}, held[HELD][N];
    float* out = out_at;
    int last = 0, parity = 0;  // of the ring: where rows arrive
    const auto next_last = [&] {
      last = last + 1 == slots ? 0 : last + 1;
      if (last == 0) parity ^= 1;
    };
    const auto add_up = [&](int chunk, V(&v)[N]) {
#pragma unroll
      for (int apart = 1; apart < N; apart *= 2)
#pragma unroll
        for (int i = 0; i < N; i += 2 * apart) v[i] = plus(v[i], v[i + apart]);
      sum(chunk) = v[0];
    };
    int mid = 0, place = 0, inside = 0, oldest = 0;  // oldest: chunk % whole
    if constexpr (HELD == 1) {
      // The ring has every chunk of a window: no place comes twice.
      for (int chunk = 0; chunk < whole; ++chunk) {
        barrier_wait(full + 8 * chunk, 0);
        V v[N];
#pragma unroll
        for (int i = 0; i < N; ++i) v[i] = at(chunk, i);
        add_up(chunk, v);
      }
      if (REST > 0) barrier_wait(full + 8 * whole, 0);
      mid = whole, last = whole + (REST > 0 ? 1 : 0);
    } else {
#pragma unroll
      for (int chunk = 0; chunk < HELD; ++chunk) {
        barrier_wait(full + 8 * last, parity);
        V v[N];
#pragma unroll
        for (int i = 0; i < N; ++i) v[i] = held[chunk][i] = at(last, i);
        if (chunk + 1 < HELD) {
          __syncwarp();
          if (lane == 0) barrier_arrive(free + 8 * last);
          place = place + 1 == slots ? 0 : place + 1;
        }
        add_up(chunk, v);
        next_last();
      }
      for (int chunk = HELD; chunk < whole; ++chunk) {
        barrier_wait(full + 8 * last, parity);
        V v[N];
#pragma unroll
        for (int i = 0; i < N; ++i) v[i] = at(last, i);
        add_up(chunk, v);
        next_last();
      }
      mid = last;
      if (REST > 0) barrier_wait(full + 8 * last, parity), next_last();
    }
#pragma unroll
    for (int i = 0; i < REST; ++i) tail = plus(tail, at(mid, i));
    if (HELD == 1)
#pragma unroll
      for (int i = 0; i < N; ++i) held[0][i] = at(place, i);
    const auto step = [&](int chunk, V(&now)[N]) {
      V v[N];
      if (inside == 0) {
        // From each chunk to the last row.
        V s = end = tail;
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
      const V front = inside + 1 == whole ? end : sum(next);
      barrier_wait(full + 8 * last, parity);
#pragma unroll
      for (int i = 0; i < N; ++i) v[i] = REST + i < N ? at(mid, REST + i) : at(last, REST + i - N);
      __syncwarp();
      if (lane == 0) barrier_arrive(free + 8 * place);
      now[N - 1] = plus(now[N - 1], front);
#pragma unroll
      for (int i = N - 2; i >= 0; --i) now[i] = plus(now[i], now[i + 1]);
      V whole_sum = tail;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        if (REST + i < N) whole_sum = plus(whole_sum, v[i]);
        if (REST + i == N) tail = v[i];
        if (REST + i > N) tail = plus(tail, v[i]);
        back = plus(back, v[i]);
        now[i] = plus(now[i], back);
      }
      sum(oldest) = whole_sum;
      const auto mine = [&](int i) { return !SECTORS || (stores >> i % 8 & 1) != 0; };
      // A row's last column that has no other beside it.
      const auto store_first = [&](const V(&v)[N]) {
#pragma unroll
        for (int i = 0; i < N; ++i)
          if (mine(i)) out[i * out_step] = *reinterpret_cast<const float*>(&v[i]);
      };
      const bool whole_chunk = out_rows - chunk * N >= N;
      if ((kColumns == 1 || (pairs && !odd)) && whole_chunk) {  // no branch between the stores
        if (SECTORS || out_columns >= kColumns)
#pragma unroll
          for (int i = 0; i < N; ++i)
            if (mine(i)) *reinterpret_cast<V*>(out + i * out_step) = now[i];
        if (!SECTORS && kColumns > 1 && out_columns == 1) store_first(now);
      } else if (SECTORS && pairs && whole_chunk) {
        if (out_columns > 1)
#pragma unroll
          for (int i = 0; i < N; ++i)
            if (mine(i)) *reinterpret_cast<V*>(out + i * out_step) = now[i];
        if (out_columns == 1) store_first(now);
      } else {
        const int rows = min(N, out_rows - chunk * N);
#pragma unroll
        for (int i = 0; i < N; ++i) {
          const float* const each = reinterpret_cast<const float*>(&now[i]);
#pragma unroll
          for (int c = 0; c < kColumns; ++c)
            if (i < rows && mine(i) && out_columns > c) out[i * out_step + c] = each[c];
        }
      }
      out += N * out_step;
      oldest = next;
      inside = inside + 1 == whole ? 0 : inside + 1;
      place = place + 1 == slots ? 0 : place + 1;
#pragma unroll
      for (int i = 0; i < N; ++i) now[i] = at(place, i);  // of the next windows
      mid = mid + 1 == slots ? 0 : mid + 1;
      next_last();
    };
    if constexpr (HELD == 1) {
#pragma unroll 1
      for (int chunk = 0; chunk < chunks; ++chunk) step(chunk, held[0]);
    } else {
      int chunk = 0;
#pragma unroll 1
      while (chunk < chunks) {
#pragma unroll
        for (int i = 0; i < HELD; ++i)
          if (chunk < chunks) step(chunk++, held[i]);
      }
    }
  }
};
