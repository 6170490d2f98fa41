// out: each element is the sum of the (2R+1)² elements of `in` around it, in float32, with nothing ever
// subtracted, every row from global memory once. For GPUs from cc 9.0.
//
// Sums along the rows come first: what stays until no window needs it is sums, and the 2R columns beside a
// strip, which have no windows, are never kept. So shared memory holds wide strips also of many rows.
//
// A warp has a whole row, or some, a lane LANE of its columns (windows_along.h, long_windows.h); the copy
// engine brings the warp's next rows meanwhile. It puts the sums into a ring of chunks of N rows. From there
// other warps, a thread for a column or two, add up N neighbouring windows at a time (sum_columns.h).
// Barriers in shared memory lead from one to the next.
#pragma once

#include "kernels/box_sum/area.h"
#include "kernels/box_sum/bulk_shape.h"
#include "kernels/box_sum/long_windows.h"
#include "kernels/box_sum/sum_columns.h"
#include "kernels/box_sum/windows_along.h"
#include "kernels/bulk_copy.h"

/// How a block's columns are cut, and what it keeps.
struct RowsFirst {
  int width;   ///< outputs of a block, a multiple of kSector
  int height;  ///< output rows of a block
  int slots;   ///< chunks of N rows of sums in shared memory: ⌈(2R + 1) / N⌉ + 2 − HELD at least
  int ahead;   ///< rows (or pairs of them) of `in` in shared memory for each warp that adds up rows
};

template <int COLUMNS>
struct ColumnsOf {
  using Type = float;
};
template <>
struct ColumnsOf<2> {
  using Type = float2;
};

/// A strip's columns of one row as the copy engine takes them: from a multiple of 16 bytes to another.
struct RowHull {
  const float* from;
  int words, skip;  ///< skip: words before the strip's first
  __device__ __forceinline__ RowHull(const float* first, int columns)
      : skip(static_cast<int>(reinterpret_cast<size_t>(first) / 4 % 4)) {
    from = first - skip, words = (columns + skip + 3) / 4 * 4;
  }
};

/// Has the strip's `columns` columns from `first` on copied. `ragged`: they may begin or end within 16 bytes,
/// and no byte outside of `area` is read: where the first or last 16 bytes are not all in it, this thread
/// copies those that are.
__device__ __forceinline__ void copy_row(float* to, const float* first, int columns, bool ragged,
                                         const Area& area, unsigned barrier) {
  if (!ragged) {
    copy_bytes(shared_address(to), first, 4 * columns, barrier);
    return;
  }
  RowHull hull(first, columns);
  const float* const end = area.in + static_cast<size_t>(area.rows - 1) * area.in_stride + area.columns;
  if (hull.from < area.in) {
    for (int i = hull.skip; i < 4; ++i) to[i] = hull.from[i];
    to += 4, hull.from += 4, hull.words -= 4;
  }
  if (hull.from + hull.words > end) {
    hull.words -= 4;
    for (int i = hull.words; hull.from + i < end; ++i) to[i] = hull.from[i];
  }
  barrier_expect_more(barrier, 4 * hull.words);
  copy_bytes(shared_address(to), hull.from, 4 * hull.words, barrier);
}

/// LANE: columns of a lane along the rows, at most 2R. ROWS: that a warp has at a time; 32 / ROWS · LANE are
/// at least the columns that a block reads, of long windows those that it writes. WARPS: that add up rows; N
/// divides ROWS · WARPS. V: float or float2, the columns that a thread adds up. HELD: of SumColumns. LONGS:
/// as in RowsFirstForm. ANY: rows of `in` begin at any word, else at multiples of 16 bytes. SECTORS:
/// a warp stores kSector results fewer than it adds up, from one sector's beginning to another's. Grid:
/// strips × ⌈output rows / height⌉. Threads and shared memory: rows_first_cuts in strips.h.
template <int LANE, int PARTS, int N, int ROWS, int WARPS, class V, int HELD, int LONGS, bool ANY,
          bool SECTORS>
__device__ __forceinline__ void rows_first(const Area& area, int r, const RowsFirst& of) {
  extern __shared__ __align__(128) float4 rows_first_shared[];
  constexpr int kStep = ROWS * WARPS, kColumns = sizeof(V) / sizeof(float), kLanes = 32 / ROWS;
  constexpr bool kLong = LONGS != 0;
  static_assert(kStep % N == 0 && N % 4 == 0 && !(ANY && kColumns > 1));
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum_warps = blockDim.x / 32 - WARPS;
  constexpr int kOwn = 32 * kColumns - (SECTORS ? kSector : 0), kWords = ANY ? 4 : kSector;
  // Where rows of `in` begin at any word, up to three more windows lie before those of the strip; where those
  // of `out` do, up to seven behind.
  const int width = of.width, all = width + (SECTORS ? kSector : 0), windows = all + (ANY ? 4 : 0),
            needed = all + (2 * r + kWords - 1) / kWords * kWords, slots = of.slots, ahead = of.ahead;
  // Where not all rows of `in` begin at sectors, there is room for each to begin in the same half of one in
  // shared memory: the copy engine is faster then.
  const bool alike = (reinterpret_cast<size_t>(area.in) / 4 | area.in_stride) % kSector == 0;
  constexpr int kPitch = SECTORS ? kSectorsPitch : kSector;
  const int pitch = (needed + windows - all + (alike && !SECTORS ? 0 : 4) + kPitch - 1) / kPitch * kPitch;
  const int whole = (2 * r + 1) / N, rest = (2 * r + 1) % N - 1;
  float* const ring = reinterpret_cast<float*>(rows_first_shared);  // [slots · N][windows]
  float* const sums = ring + slots * N * windows;                   // [whole][sum threads' columns]
  float* const stage = sums + whole * 32 * kColumns * sum_warps;    // [WARPS][ahead][ROWS][pitch]
  // barriers: [slots] of the ring; [slots]; [WARPS][ahead]
  const unsigned full = shared_address(stage + kStep * ahead * pitch), free = full + 8 * slots,
                 arrived = free + 8 * slots;

  const int x0 = blockIdx.x * width, top = blockIdx.y * of.height;
  const int out_rows = min(of.height, area.rows - 2 * r - top), out_columns = area.columns - 2 * r - x0;
  if (out_rows <= 0 || out_columns <= 0) return;
  const int in_rows = out_rows + 2 * r, columns = min(needed, area.columns - x0);
  const bool up = blockIdx.y % 2 != 0;  // neighbours begin at the same rows
  const int chunks = (out_rows + N - 1) / N, all_rows = (chunks + whole + (rest > 0 ? 1 : 0)) * N;
  const long long in_step = up ? -static_cast<long long>(area.in_stride) : area.in_stride;
  const float* const from = area.in + static_cast<size_t>(up ? top + in_rows - 1 : top) * area.in_stride + x0;

  if (threadIdx.x == 0) {
    for (int i = 0; i < slots; ++i)
      barrier_make(full + 8 * i, N / ROWS), barrier_make(free + 8 * i, sum_warps);
    for (int i = 0; i < WARPS * ahead; ++i) barrier_make(arrived + 8 * i, 1);
    barriers_made();
  }
  __syncthreads();

  if (warp < WARPS) {
    const int most = kept(windows), some_slots = kept(slots), line = ANY ? needed + 4 : columns;
    // Two or more rows at a time are copied faster where each need not be asked for, a single one not
    // (data/measured/h200-rungs/box_ragged.csv).
    const bool ragged = ANY || ROWS == 1 || area.columns % 4 != 0;
    float* const own = stage + warp * ahead * ROWS * pitch;
    const unsigned own_barriers = arrived + 8 * warp * ahead;
    int next = ROWS * warp;  // the row that is copied next
    const int phase = static_cast<int>(reinterpret_cast<size_t>(from) / 4 % kSector),
              step = static_cast<int>(in_step % kSector);
    const auto place_of = [&](int y) { return phase + min(y, in_rows - 1) * step & 4; };
    const auto copy_rows = [&](int slot) {
      const unsigned barrier = own_barriers + 8 * slot;
      if (kLong) {  // by the whole warp
        if (next >= all_rows) return;
        if (lane == 0 && !ragged) barrier_expect(barrier, ROWS * 4 * columns);
        __syncwarp();
        if (lane < ROWS)
          copy_row(own + (slot * ROWS + lane) * pitch + place_of(next + lane),
                   from + min(next + lane, in_rows - 1) * in_step, columns, ragged, area, barrier);
        __syncwarp();
        if (lane == 0 && ragged) barrier_arrive(barrier);
        next += kStep;
        return;
      }
      if (!ragged) barrier_expect(barrier, ROWS * 4 * columns);
#pragma unroll
      for (int i = 0; i < ROWS; ++i)  // of the last chunks' rows beyond the last one, any row
        copy_row(own + (slot * ROWS + i) * pitch + place_of(next + i),
                 from + min(next + i, in_rows - 1) * in_step, columns, ragged, area, barrier);
      if (ragged) barrier_arrive(barrier);
      next += kStep;
    };
    if (lane == 0 || kLong)
      for (int i = 0; i < ahead; ++i)
        if (next < all_rows) copy_rows(i);
    int slot = 0, parity = 0;
    int place = ROWS * warp / N, ring_parity = 0;  // of the ring
    const int row = lane / kLanes, x = LANE * (lane % kLanes), row_of_place = ROWS * warp % N + row;
    bool first = true;
#pragma unroll 1
    for (int y = ROWS * warp; y < all_rows; y += kStep) {
      float s[LANE];
      barrier_wait(own_barriers + 8 * slot, parity);
      const auto loaded = [&] {
        __syncwarp();
        if ((lane == 0 || kLong) && next < all_rows) copy_rows(slot);
      };
      const float* const columns_of_row = own + (slot * ROWS + row) * pitch + place_of(y + row);
      if constexpr (kLong)
        long_windows<LANE, kLanes, LONGS == kAnyRadius ? 0 : LONGS>(s, columns_of_row, lane % kLanes, line, r,
                                                                    loaded);
      else
        windows_along<LANE, kLanes, PARTS>(s, columns_of_row, lane % kLanes, line, most, r, loaded);
      slot = slot + 1 == ahead ? 0 : slot + 1;
      if (slot == 0) parity ^= 1;
      if (!first) barrier_wait(free + 8 * place, ring_parity);
      float* const to = ring + (place * N + row_of_place) * most + x;
#pragma unroll
      for (int c = 0; c < LANE; c += 4)
        if (x + c < most) *reinterpret_cast<float4*>(to + c) = {s[c], s[c + 1], s[c + 2], s[c + 3]};
      __syncwarp();
      if (lane == 0) barrier_arrive(full + 8 * place);
      place += kStep / N;
      if (place >= some_slots) {
        place -= some_slots;
        if (!first) ring_parity ^= 1;
        first = false;
      }
    }
  } else {
    const int begin = kOwn * (warp - WARPS), x = begin + kColumns * lane, end = min(begin + kOwn, width);
    const long long out_step = up ? -static_cast<long long>(area.out_stride) : area.out_stride;
    float* const out = area.out + static_cast<size_t>(up ? top + out_rows - 1 : top) * area.out_stride + x0;
    const bool pairs = (reinterpret_cast<size_t>(out) / 4 | area.out_stride) % 2 == 0,
               odd = SECTORS && min(all, out_columns) % 2 != 0;
    unsigned stores = 0;
#pragma unroll
    for (int i = 0; i < (SECTORS ? 8 : 0); ++i) {
      const auto word = static_cast<int>(reinterpret_cast<size_t>(out + i * out_step) / 4 % kSector);
      const int by = (kSector - word) % kSector / kColumns * kColumns;  // to a sector
      const bool first = x0 == 0 && begin == 0;
      stores |= (first || x >= begin + by) && x < min(end + by, out_columns) ? 1u << i : 0;
    }
    const int left = SECTORS ? out_columns - x : x < width ? min(width, out_columns) - x : 0;
    SumColumns<N, V, ANY, HELD, SECTORS> columns{{},       sums + kColumns * (threadIdx.x - 32 * WARPS),
                                                 windows,  32 * kColumns * sum_warps,
                                                 slots,    whole,
                                                 full,     free,
                                                 out + x,  out_step,
                                                 out_rows, left,
                                                 pairs,    odd,
                                                 stores};
#pragma unroll
    for (int i = 0; i < (ANY ? 4 : 1); ++i)
      columns.rows[i] = ring + min(x, all - kColumns) + (ANY ? RowHull(from + i * in_step, 1).skip : 0);
    columns.template run_rest<0>(rest, chunks, lane);
  }
}

/// rows_first as a RowsFirstForm says.
#define ROWS_FIRST_OF(FORM)                                                                           \
  rows_first<FORM.lane, FORM.parts, FORM.chunk, FORM.rows, FORM.warps, ColumnsOf<FORM.columns>::Type, \
             FORM.held, FORM.longs, FORM.any, FORM.sectors>

/// A kernel of one form: box_sum_rows_first_* and box_sum_any_rows_*.
#define BOX_SUM_ROWS_FIRST(NAME, FORM)                                                               \
  extern "C" __global__ void __launch_bounds__(FORM.threads(FORM.most()), 1)                         \
      NAME(const float* in, float* out, int n, int r, int width, int height, int slots, int ahead) { \
    ROWS_FIRST_OF(FORM)(square_area(in, out, n, r), r, {width, height, slots, ahead});               \
  }
/// The same in the library, of any area.
#define ROWS_FIRST(NAME, FORM)                                               \
  extern "C" __global__ void __launch_bounds__(FORM.threads(FORM.most()), 1) \
      NAME(Area area, int r, int width, int height, int slots, int ahead) {  \
    ROWS_FIRST_OF(FORM)(area, r, {width, height, slots, ahead});             \
  }
