// out: each element is the sum of the (2R+1)² elements of `in` around it, in float32, with nothing ever
// subtracted, every row from global memory once. For GPUs from cc 9.0, and rows of `in` that begin and end at
// multiples of 16 bytes.
//
// The copy engine brings whole rows to shared memory, where they stay until no window needs them, and takes
// whole rows of results away. Between, some warps add up columns, and others rows, up to BUFFERS chunks of 8
// rows behind; barriers in shared memory lead from one to the next, and nobody waits for all.
//
// Down the columns 8 neighbouring windows are summed together: each is the end of the chunk that it begins
// in, what all of them have in common, and the rows behind. What they have in common is a queue of two
// stacks: the sums from each chunk's beginning to the last row that was there at one time, and the sum of the
// rows since.
//
// Along the rows a warp has a whole row, a lane LANE of its columns. A window is the end of a lane's columns,
// those of whole lanes, and the beginning of a lane's (van Herk; Gil and Werman).
#pragma once

#include "kernels/box_sum/area.h"
#include "kernels/box_sum/bulk_shape.h"
#include "kernels/bulk_copy.h"

/// How a block's columns are cut.
struct BulkStrip {
  int columns;  ///< of a block, a multiple of 4
  int width;    ///< outputs of a block, a multiple of 4, at most its columns − 2R
  int height;   ///< output rows of a block
  int slots;    ///< chunks of rows in shared memory: (2R + 1) / 8 + 3 at least
};

/// Two neighbouring columns.
struct TwoColumns {
  float2 c;
  __device__ __forceinline__ void add(const TwoColumns& other) { c.x += other.c.x, c.y += other.c.y; }
};
/// Bytes from shared memory, a multiple of 16 to multiples of 16, in a group of this thread's stores.
__device__ __forceinline__ void store_bytes(void* to, unsigned from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// The sums of a thread's two columns.
struct BulkColumns {
  const TwoColumns* mine;  ///< in the ring, [slots · 8][pitch]
  TwoColumns* fronts;      ///< [kept + 1][pitch]
  int pitch, slots, kept, rest;
  TwoColumns back;
  int inside;

  /// For the windows that begin at `place`; the first row behind them is `rest` rows into the place before
  /// `last`.
  __device__ __forceinline__ void add(TwoColumns (&now)[kBulkRows], int place, int last) {
    constexpr int N = kBulkRows;
    const TwoColumns* const second = mine + last * N * pitch;
    const TwoColumns* const first = last == 0 ? mine + (slots - 1) * N * pitch : second - N * pitch;
    if (inside == 0) {  // the sums from each chunk to the last row
      back = {};
      TwoColumns sum = {};
      for (int i = rest - 1; i >= 0; --i) sum.add(first[i * pitch]);
      const TwoColumns* at = first;
      fronts[kept * pitch] = sum;
#pragma unroll 1
      for (int k = kept - 1; k >= 0; --k) {
        at = at == mine ? mine + (slots - 1) * N * pitch : at - N * pitch;
        TwoColumns v[N];
#pragma unroll
        for (int i = 0; i < N; ++i) v[i] = at[i * pitch];
#pragma unroll
        for (int i = 0; i < N; i += 2) v[i].add(v[i + 1]);
#pragma unroll
        for (int i = 0; i < N; i += 4) v[i].add(v[i + 2]);
        v[0].add(v[4]);
        sum.add(v[0]);
        fronts[k * pitch] = sum;
      }
    }
    const TwoColumns* const leaving = mine + place * N * pitch;
#pragma unroll
    for (int i = 0; i < N; ++i) now[i] = leaving[i * pitch];
    const TwoColumns* const shifted = first + rest * pitch;
    const TwoColumns* const wrapped = second - (N - rest) * pitch;
    TwoColumns v[N];
#pragma unroll
    for (int i = 0; i < N; ++i) v[i] = (rest + i < N ? shifted : wrapped)[i * pitch];
    now[N - 1].add(fronts[inside * pitch]);
#pragma unroll
    for (int i = N - 2; i >= 0; --i) now[i].add(now[i + 1]);
#pragma unroll
    for (int i = 0; i < N; ++i) {
      now[i].add(back);
      back.add(v[i]);
    }
    inside = inside >= kept ? 0 : inside + 1;
  }
};

/// A row's windows from its columns' sums, in place, by a warp: `row` has 32 · K words at most.
template <int K>
__device__ __forceinline__ void sum_along(float* row, int lane, int line, int out_columns, int r) {
  constexpr int kFours = K / 4;
  const int from = K * lane, lanes = 2 * r / K, over = 2 * r % K, split = K - over;
  float s[K];
#pragma unroll
  for (int q = 0; q < kFours; ++q) {
    float4 v = {};
    if (from + 4 * q < line) v = *reinterpret_cast<const float4*>(row + from + 4 * q);
    s[4 * q] = v.x, s[4 * q + 1] = v.y, s[4 * q + 2] = v.z, s[4 * q + 3] = v.w;
  }
  {
    float p[K];
    p[0] = s[0];
#pragma unroll
    for (int c = 1; c < K; ++c) p[c] = p[c - 1] + s[c];
#pragma unroll
    for (int q = 0; q < kFours; ++q)
      if (from + 4 * q < line)
        *reinterpret_cast<float4*>(row + from + 4 * q) = {p[4 * q], p[4 * q + 1], p[4 * q + 2], p[4 * q + 3]};
  }
#pragma unroll
  for (int c = K - 2; c >= 0; --c) s[c] += s[c + 1];
  // Whole lanes: the next `lanes − 1`, and one more.
  float some = s[0], middle = 0;
  int after = 1;
#pragma unroll 1
  for (int bits = lanes - 1, apart = 1; bits > 0; bits >>= 1, apart *= 2) {
    if (bits & 1) {
      middle += __shfl_down_sync(0xffffffff, some, after);
      after += apart;
    }
    if (bits > 1) some += __shfl_down_sync(0xffffffff, some, apart);
  }
  const float next = middle + __shfl_down_sync(0xffffffff, s[0], lanes);
  __syncwarp();
  const bool has = from < out_columns;
  if (has) {
    const float* at = row + from + 2 * r;
    if (r % 2 == 0) {
#pragma unroll
      for (int q = 0; q < kFours; ++q) {
        const float4 v = *reinterpret_cast<const float4*>(at + 4 * q);
        const float between = 4 * q < split ? middle : next;
        s[4 * q] += v.x + between, s[4 * q + 1] += v.y + between;
        s[4 * q + 2] += v.z + between, s[4 * q + 3] += v.w + between;
      }
    } else {
#pragma unroll
      for (int c = 0; c < K; c += 2) {
        const float2 v = *reinterpret_cast<const float2*>(at + c);
        const float between = c < split ? middle : next;
        s[c] += v.x + between, s[c + 1] += v.y + between;
      }
    }
  }
  __syncwarp();
  if (has) {
#pragma unroll
    for (int q = 0; q < kFours; ++q)
      if (from + 4 * q < out_columns)
        *reinterpret_cast<float4*>(row + from + 4 * q) = {s[4 * q], s[4 * q + 1], s[4 * q + 2], s[4 * q + 3]};
  }
}

/// LANE: columns of a lane along the rows, a multiple of 4, at most 2R; 32 · LANE are at least a block's
/// columns. Threads: bulk_rows_threads. Grid: strips × ⌈output rows / height⌉. Dynamic shared memory:
/// bulk_rows_bytes.
template <int LANE>
__device__ __forceinline__ void bulk_rows(const Area& area, int r, const BulkStrip& strip) {
  constexpr int N = kBulkRows, B = kBulkBuffers, kRowWarps = N * kBulkGroups;
  extern __shared__ __align__(128) float4 bulk_shared[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, column_warps = blockDim.x / 32 - kRowWarps - 1;
  const int columns = strip.columns, slots = strip.slots, line = columns + LANE;
  const int whole = (2 * r + 1) / N, rest = (2 * r + 1) % N, kept = whole - 1;
  float* const ring = reinterpret_cast<float*>(bulk_shared);     // [slots · N][columns]
  float* const fronts = ring + slots * N * columns;              // [kept + 1][columns]
  float* const sums = fronts + (kept + 1) * columns;             // [B][N][line]
  const unsigned arrived = shared_address(sums + B * N * line);  // [slots]: barriers of the rows
  const unsigned full = arrived + 8 * slots, done = full + 8 * B,
                 empty = done + 8 * B;  // [B] each, of the sums

  const int x0 = blockIdx.x * strip.width, top = blockIdx.y * strip.height;
  const int out_rows = min(strip.height, area.rows - 2 * r - top),
            out_columns = min(strip.width, area.columns - 2 * r - x0);
  if (out_rows <= 0 || out_columns <= 0) return;
  const int in_rows = out_rows + 2 * r, here = min(columns, area.columns - x0);
  const bool up = blockIdx.y % 2 != 0;  // neighbours begin at the same rows
  const int chunks = (out_rows + N - 1) / N, all_slots = chunks + whole + 1;
  const long long in_step = up ? -static_cast<long long>(area.in_stride) : area.in_stride,
                  out_step = up ? -static_cast<long long>(area.out_stride) : area.out_stride;
  const float* const from = area.in + static_cast<size_t>(up ? top + in_rows - 1 : top) * area.in_stride + x0;
  float* const out = area.out + static_cast<size_t>(up ? top + out_rows - 1 : top) * area.out_stride + x0;

  // Lanes 0 to N−1 have the rows of a chunk copied to its place; of the last chunks the last row again.
  const auto copy_chunk = [&](int chunk, int place) {
    if (chunk >= all_slots) return;
    const unsigned barrier = arrived + 8 * place;
    if (lane == 0) barrier_expect(barrier, N * here * 4);
    if (lane < N)
      copy_bytes(shared_address(ring + (place * N + lane) * columns),
                 from + min(chunk * N + lane, in_rows - 1) * in_step, here * 4, barrier);
  };

  if (threadIdx.x == 0) {
    for (int i = 0; i < slots; ++i) barrier_make(arrived + 8 * i, 1);
    for (int i = 0; i < B; ++i) {
      barrier_make(full + 8 * i, column_warps);
      barrier_make(done + 8 * i, N);
      barrier_make(empty + 8 * i, 1);
    }
    barriers_made();
  }
  __syncthreads();

  if (warp < kRowWarps) {  // a row of every second chunk
    const int own_row = warp % N, group = warp / N;
    if (warp == 0)
      for (int i = 0; i < slots; ++i) copy_chunk(i, i);
    int place = group;
#pragma unroll 1
    for (int chunk = group; chunk < chunks; chunk += kBulkGroups) {
      const int buffer = chunk % B, y = chunk * N + own_row;
      barrier_wait(full + 8 * buffer, chunk / B & 1);
      if (own_row == 0) copy_chunk(chunk + slots, place);  // nobody needs the rows that were there
      place = place + kBulkGroups >= slots ? place + kBulkGroups - slots : place + kBulkGroups;
      if (y < out_rows) {
        float* const row = sums + (buffer * N + own_row) * line;
        sum_along<LANE>(row, lane, out_columns + 2 * r, out_columns, r);
        if (area.wide) {
          show_to_copies();
        } else {
          __syncwarp();
          for (int x = lane; x < out_columns; x += 32) out[y * out_step + x] = row[x];
        }
      }
      __syncwarp();
      if (lane == 0) barrier_arrive(done + 8 * buffer);
    }
  } else if (warp == kRowWarps) {  // results
#pragma unroll 1
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const int buffer = chunk % B, y = chunk * N + lane;
      barrier_wait(done + 8 * buffer, chunk / B & 1);
      if (area.wide && lane < N && y < out_rows) {
        store_bytes(out + y * out_step, shared_address(sums + (buffer * N + lane) * line), out_columns * 4);
        wait_for_stores<0>();
      }
      __syncwarp();
      if (lane == 0) barrier_arrive(empty + 8 * buffer);
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  } else {  // columns
    const int x = 2 * (threadIdx.x - 32 * (kRowWarps + 1));
    const bool has = x < here;
    BulkColumns state{reinterpret_cast<TwoColumns*>(ring + x),
                      reinterpret_cast<TwoColumns*>(fronts + x),
                      columns / 2,
                      slots,
                      kept,
                      rest,
                      {},
                      0};
    for (int chunk = 0; chunk <= whole; ++chunk) barrier_wait(arrived + 8 * chunk, 0);
    int place = 0, last = whole + 1, parity = 0;
#pragma unroll 1
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const int buffer = chunk % B;
      TwoColumns now[N];
      barrier_wait(arrived + 8 * last, parity);
      if (has) state.add(now, place, last);
      place = place + 1 == slots ? 0 : place + 1;
      last = last + 1 == slots ? 0 : last + 1;
      if (last == 0) parity ^= 1;
      if (chunk >= B) barrier_wait(empty + 8 * buffer, chunk / B - 1 & 1);
      if (has) {
        float* const to = sums + buffer * N * line + x;
#pragma unroll
        for (int i = 0; i < N; ++i) *reinterpret_cast<TwoColumns*>(to + i * line) = now[i];
      }
      __syncwarp();
      if (lane == 0) barrier_arrive(full + 8 * buffer);
    }
  }
}
