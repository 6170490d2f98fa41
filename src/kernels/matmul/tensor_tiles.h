// C = A·B on tensor cores: blocks that stay, each of one warpgroup that has tiles copied and two or three
// that multiply them. A is [parts][m][k], B [parts][k][n], 16-bit elements; C is m × n. Operands may lie
// by columns instead.
//
// The copies run several stages ahead. The blocks of a cluster compute tiles one below the other, or side by
// side, or both: each copies its part of the common tile of B, or of A, into all that need it. Dynamic shared
// memory: kBytes. Threads: kThreads.
#pragma once

#include "kernels/async_copy.h"
#include "kernels/bf16.h"
#include "kernels/bulk_copy.h"
#include "kernels/launch_order.h"
#include "kernels/matmul/async_tiles.h"
#include "kernels/matmul/tensor_ends.h"
#include "kernels/matmul/tensor_order.h"
#include "kernels/matmul/warpgroup.h"

/// How the operands lie.
template <bool A_BY_COLUMNS, bool B_BY_COLUMNS>
struct Lie {
  static constexpr bool kColumnsA = A_BY_COLUMNS, kColumnsB = B_BY_COLUMNS;
};
using ByRows = Lie<false, false>;
using ColumnsOfA = Lie<true, false>;
using ColumnsOfB = Lie<false, true>;
using ByColumns = Lie<true, true>;

/// Tiles of 64·GROUPS·DOWN × N results, in steps of 64 along k. PARTS 1: plain products. PARTS 2: operands
/// are given as two halves, whose sum they are; what each stage adds is summed by itself (the tensor cores
/// cut off what does not fit below the sum's leading bit) and then added to the sum of all, rounded to
/// nearest. IN_TURNS: tiles of 64·DOWN × N; each of two warpgroups has every second one for itself, and
/// stores its results while the other multiplies. BESIDE: of a cluster's tiles so many lie side by side.
template <class TYPE, int PARTS, int DOWN, int N, int STAGES, int CLUSTER, class OUT, int GROUPS = 2,
          bool IN_TURNS = false, int BESIDE = 1, class LIES = ByRows>
struct Tensor {
  using Lies = LIES;
  using Type = TYPE;
  using Out = OUT;
  static constexpr bool kInTurns = IN_TURNS;
  static_assert(!IN_TURNS || (PARTS == 1 && GROUPS == 2));
  static_assert(CLUSTER % BESIDE == 0);
  static constexpr int kGroups = GROUPS;                   ///< warpgroups that multiply
  static constexpr int kTogether = IN_TURNS ? 1 : GROUPS;  ///< of them at one tile
  static constexpr int kParts = PARTS, kDown = DOWN, kM = 64 * kTogether * DOWN, kN = N, kK = 64,
                       kStages = STAGES;
  /// Blocks of a cluster: one below the other, side by side, all.
  static constexpr int kBelow = CLUSTER / BESIDE, kBeside = BESIDE, kCluster = CLUSTER;
  static constexpr int kThreads = 128 * GROUPS + 128,
                       kPanels = (N + 63) / 64;  ///< of B: 64 columns each, of the last one maybe fewer
  // Bytes. What lies across k comes in panels of 64 rows or columns each.
  static constexpr int kPanel = kK * 128, kPartA = kM * 128,
                       kPartB = LIES::kColumnsB ? kN * 128 : kPanels * kPanel;
  static constexpr int kStage = PARTS * (kPartA + kPartB);
  // Results leave in boxes of 64 rows of 128 bytes; a warpgroup has two on the way.
  static constexpr int kBox = 64 * 128, kBoxColumns = 128 / sizeof(OUT);
  static constexpr int kBytes =
      STAGES * kStage + 2 * GROUPS * kBox + 1024;  ///< 1024: to align the first stage
  static constexpr int kPerStage = N / 2;          ///< sums of a thread for 64 rows
  /// Registers of a thread that has tiles copied, and of one that multiplies. Who shares both operands has
  /// more to keep in mind.
  static constexpr int kToCopy = kBelow > 1 && kBeside > 1 ? 40 : 24, kToMultiply = GROUPS == 3     ? 160
                                                                                    : kToCopy == 40 ? 232
                                                                                                    : 240;
  static constexpr int kPieces = 1;     ///< blocks of a cluster that have the same tiles (tensor_cut.h)
  static constexpr bool kEnds = false;  ///< tensor_ends.h
};

/// Exponents that rows of A and columns of B were raised by, to be taken off the results. Null: none.
struct Raised {
  const int* rows;
  const int* columns;
};

/// For e from -126 to 127.
__device__ __forceinline__ float power_of_two(int e) {
  float v;
  asm("mov.b32 %0, %1;" : "=f"(v) : "r"((e + 127) << 23));
  return v;
}
/// v · 2^e, for e within ±252, in two steps because a float's exponent reaches half as far.
__device__ __forceinline__ float raise(float v, int e) {
  const int half = e >> 1;
  return v * power_of_two(half) * power_of_two(e - half);
}

/// Two neighbouring results into a box: row and column within it. Its 16-byte pieces are mixed as the copy
/// engine expects.
__device__ __forceinline__ void put_pair(unsigned box, int row, int column, float a, float b, float) {
  const unsigned to = box + row * 128 + ((column / 4 ^ row) & 7) * 16 + column % 4 * 4;
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to), "f"(a), "f"(b) : "memory");
}
struct AsBf16 {
  unsigned short bits;
};
__device__ __forceinline__ void put_pair(unsigned box, int row, int column, float a, float b, AsBf16) {
  const unsigned to = box + row * 128 + ((column / 8 ^ row) & 7) * 16 + column % 8 * 2;
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(pack_bf16(a, b)) : "memory");
}

/// The warpgroup's 64 rows of sums, from (row, column) of C.
template <class T, bool RAISED>
__device__ __forceinline__ void store_sums(const float (&sum)[T::kPerStage], const TensorMap& c,
                                           unsigned boxes, int row, int column, int m, int n, int group,
                                           const Raised& raised) {
  const int t = threadIdx.x % 128, r = t / 32 * 16 + t % 32 / 4, pair = t % 4 * 2;
  int row_exponent[2] = {};
  if (RAISED) {
#pragma unroll
    for (int h = 0; h < 2; ++h) row_exponent[h] = row + r + 8 * h < m ? raised.rows[row + r + 8 * h] : 0;
  }
  constexpr int kBoxes = T::kN / T::kBoxColumns;
  // Of float32 results two rows would meet in the same banks, if a lane's pairs went one after another.
  const bool crossed = sizeof(typename T::Out) == 4 && r % 2 == 1;
#pragma unroll
  for (int box = 0; box < kBoxes; ++box) {
    const unsigned to = boxes + box % 2 * T::kBox;
    // The last of an odd number of boxes lay where the next tile's first will.
    if (t == 0) {
      if (box == 0 && kBoxes % 2 == 1)
        wait_for_stores<0>();
      else
        wait_for_stores<1>();
    }
    wait_for_some(1 + group, 128);
#pragma unroll
    for (int j = 0; j < T::kBoxColumns / 8; ++j) {
      const int at = (box * (T::kBoxColumns / 8) + j) * 4, at_crossed = at + ((j ^ 2) - j) * 4;
      const int eight = crossed ? j ^ 2 : j;
      int exponent[2] = {};
      if (RAISED) {
        const int x = column + box * T::kBoxColumns + eight * 8 + pair;
#pragma unroll
        for (int i = 0; i < 2; ++i) exponent[i] = x + i < n ? raised.columns[x + i] : 0;
      }
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float v[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          v[i] = sum[at + 2 * h + i];
          if (sizeof(typename T::Out) == 4) v[i] = crossed ? sum[at_crossed + 2 * h + i] : v[i];
        }
        if (RAISED) {
#pragma unroll
          for (int i = 0; i < 2; ++i) v[i] = raise(v[i], max(-252, -(row_exponent[h] + exponent[i])));
        }
        put_pair(to, r + 8 * h, eight * 8 + pair, v[0], v[1], typename T::Out{});
      }
    }
    show_to_copies();
    wait_for_some(1 + group, 128);
    if (t == 0) store_box(c, column + box * T::kBoxColumns, row, to);
  }
}

/// How many lines of a tile along k, rows of A and columns of B, are copied: of a matrix that has fewer than
/// a tile not those that it lacks, which the copy engine would fill with zeros. That takes it longer than
/// copying.
template <class T>
struct Lines {
  int a, b;
  __device__ __forceinline__ Lines(int m, int n)
      : a(T::kEnds && !T::Lies::kColumnsA && T::kBeside == 1 ? min(m, T::kM) : T::kM),
        b(T::kEnds && T::Lies::kColumnsB && T::kBelow == 1 ? min(n, T::kN) : T::kN) {}
  /// Bytes of a stage that are copied.
  __device__ __forceinline__ int copied() const { return T::kStage - (T::kM - a + T::kN - b) * 128; }
  /// All threads: zeros where no copies go, before anybody multiplies.
  __device__ __forceinline__ void clear_others(unsigned stages) const {
    if (copied() == T::kStage) return;
    const int of_a = (T::kM - a) * 8, all = of_a + (T::kN - b) * 8;  // pieces of 16 bytes
    for (int s = 0; s < T::kStages; ++s) {
      for (int i = threadIdx.x; i < all; i += T::kThreads) {
        const int at = i < of_a ? a * 128 + i * 16 : T::kPartA + b * 128 + (i - of_a) * 16;
        asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(stages + s * T::kStage + at), "r"(0)
                     : "memory");
      }
    }
    show_to_copies();
    __syncthreads();
  }
};

/// A stage after another, and the parity of the barriers' phase.
template <int STAGES>
struct Turn {
  int stage = 0, parity = 0;
  __device__ __forceinline__ void next() {
    if (++stage == STAGES) stage = 0, parity ^= 1;
  }
  __device__ __forceinline__ void skip(int stages) {
    const int to = stage + stages;
    stage = to % STAGES, parity ^= to / STAGES & 1;
  }
};

/// One thread: makes the barriers of all stages.
template <class T>
__device__ __forceinline__ void make_barriers(unsigned full, unsigned empty) {
  for (int s = 0; s < T::kStages; ++s) {
    barrier_make(full + 8 * s, 1);
    barrier_make(empty + 8 * s, 4 * T::kTogether * (T::kBelow + T::kBeside - 1));
  }
  barriers_made();
}

/// A box for this block or, where COMMON, for `blocks` of the cluster, a bit for each.
template <bool COMMON>
__device__ __forceinline__ void copy_box_where(unsigned to, const TensorMap& from, int x, int y, int z,
                                               unsigned barrier, unsigned blocks = 3) {
  if constexpr (COMMON)
    copy_box_to(blocks, to, from, x, y, z, barrier);
  else
    copy_box(to, from, x, y, z, barrier);
}

/// One thread: a step of an operand from line `first` of the box on. `at`: the first row of A or column of B.
template <bool COMMON, bool ACROSS_K, int PANELS>
__device__ __forceinline__ void copy_operand(unsigned to, const TensorMap& from, int at, int k, int first,
                                             int part, unsigned barrier, unsigned blocks) {
  if constexpr (ACROSS_K) {
#pragma unroll
    for (int panel = 0; panel < PANELS; ++panel)
      copy_box_where<COMMON>(to + panel * 64 * 128, from, at + panel * 64, k + first, part, barrier, blocks);
  } else {
    copy_box_where<COMMON>(to, from, k, at + first, part, barrier, blocks);
  }
}

/// One thread: has a step of a tile copied as soon as its stage is free, so many bytes.
template <class T>
__device__ __forceinline__ void copy_step(const TensorMap& a, const TensorMap& b, int row, int column,
                                          int step, const Sharing<T>& sharing, const Turn<T::kStages>& turn,
                                          unsigned stages, unsigned full, unsigned empty, int bytes) {
  // Of a common tile or panel each block copies its share of the lines.
  using Lies = typename T::Lies;
  constexpr int kLinesA = (Lies::kColumnsA ? T::kK : T::kM) / T::kBeside;
  constexpr int kLinesB = (Lies::kColumnsB ? T::kN : T::kK) / T::kBelow;
  const int first_a = sharing.column * kLinesA, first_b = sharing.row * kLinesB;
  barrier_wait(empty + 8 * turn.stage, turn.parity ^ 1);
  const unsigned arrived = full + 8 * turn.stage, to = stages + turn.stage * T::kStage;
  barrier_expect(arrived, bytes);
#pragma unroll
  for (int part = 0; part < T::kParts; ++part) {
    copy_operand<(T::kBeside > 1), Lies::kColumnsA, T::kM / 64>(to + part * T::kPartA + first_a * 128, a, row,
                                                                step * T::kK, first_a, part, arrived,
                                                                sharing.with_a());
    copy_operand<(T::kBelow > 1), !Lies::kColumnsB, T::kPanels>(
        to + T::kParts * T::kPartA + part * T::kPartB + first_b * 128, b, column, step * T::kK, first_b, part,
        arrived, sharing.with_b());
  }
}

/// One thread: has all tiles copied that the block's warpgroups multiply.
template <class T>
__device__ __forceinline__ void copy_tiles(const TensorMap& a, const TensorMap& b, const Order<T>& order,
                                           unsigned stages, unsigned full, unsigned empty, int bytes) {
  const Sharing<T> sharing(order.rank);
  Turn<T::kStages> turn;
  for (int tile = blockIdx.x / T::kCluster; tile < order.tiles; tile += gridDim.x / T::kCluster) {
    const Spot at = order.spot(tile);
    for (int step = 0; step < order.k_steps; ++step, turn.next())
      copy_step<T>(a, b, at.row, at.column, step, sharing, turn, stages, full, empty, bytes);
  }
}

/// The products of 64 rows of part `pa` of A with part `pb` of B in a stage.
template <class T>
__device__ __forceinline__ void multiply_stage(float (&sum)[T::kPerStage], unsigned stage, int rows, int pa,
                                               int pb, int add) {
  // Sixteen k further in an operand that lies along k, and across.
  constexpr int kAlong = 2, kAcross = 128;
  constexpr bool kAcrossA = T::Lies::kColumnsA, kAcrossB = !T::Lies::kColumnsB;
  const unsigned long long a = describe(stage + pa * T::kPartA + rows * 128, kAcrossA ? T::kPanel : 16);
  const unsigned long long b =
      describe(stage + T::kParts * T::kPartA + pb * T::kPartB, kAcrossB ? T::kPanel : 16);
#pragma unroll
  for (int k = 0; k < T::kK / 16; ++k)
    Products<typename T::Type, kAcrossB, kAcrossA>::multiply(
        sum, a + k * (kAcrossA ? kAcross : kAlong), b + k * (kAcrossB ? kAcross : kAlong), k > 0 ? 1 : add);
}

/// A stage is free again: every warp says so in every block whose copies write there.
template <class T>
__device__ __forceinline__ void release(unsigned empty, int stage) {
  const int lane = threadIdx.x % 32;
  if constexpr (T::kPieces > 1 && T::kCluster == 1) {
    if (lane == 0) barrier_arrive(empty + 8 * stage);
  } else if constexpr (T::kPieces == 1 && (T::kBelow == 1 || T::kBeside == 1)) {
    if (lane < T::kCluster) barrier_arrive(empty + 8 * stage, lane);
  } else {
    const Sharing<T> sharing(rank_in_cluster());
    if ((sharing.with_a() | sharing.with_b()) >> lane & 1) barrier_arrive(empty + 8 * stage, lane);
  }
}

/// All steps of a tile, 64·DOWN rows of it from `rows` on. The last step's products are still under way then,
/// in the stage that is returned.
template <class T>
__device__ __forceinline__ int multiply_steps(float (&sum)[T::kDown][T::kPerStage], Turn<T::kStages>& turn,
                                              int k_steps, unsigned stages, unsigned full, unsigned empty,
                                              int rows) {
  int before = 0;
#pragma unroll 1
  for (int step = 0; step < k_steps; ++step, turn.next()) {
    barrier_wait(full + 8 * turn.stage, turn.parity);
    begin_products();
#pragma unroll
    for (int down = 0; down < T::kDown; ++down)
      multiply_stage<T>(sum[down], stages + turn.stage * T::kStage, rows + down * 64, 0, 0, step > 0);
    end_products();
    wait_for_products<1>();
    if (step > 0) release<T>(empty, before);
    before = turn.stage;
  }
  return before;
}

/// 64 rows of sums, `row` rows below the tile's first: as it was given, by the copy engine, or what is its
/// own, by the threads. These also store the columns of a last box that is not whole.
template <class T>
__device__ __forceinline__ void store_sums_at(const float (&sum)[T::kPerStage], const TensorMap& c,
                                              const Written<typename T::Out>& written, unsigned boxes,
                                              const Spot& at, int row, int m, int n, int group) {
  const int t = threadIdx.x % 128, first = at.row + row + t / 32 * 16 + t % 32 / 4;
  const auto write = [&](int eight) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
#pragma unroll
      for (int j = eight; j < T::kN / 8; j += 2) {
        const float* v = sum + 4 * j + 2 * h;
        write_sixteen(written, at, first + 8 * h, at.column + 8 * j, {v[0], v[1]}, {v[4], v[5]}, m, n);
      }
    }
  };
  constexpr int kInBoxes = T::kN / T::kBoxColumns * T::kBoxColumns;
  static_assert(T::kEnds || kInBoxes == T::kN);
  if (!T::kEnds || !at.moved()) {
    store_sums<T, false>(sum, c, boxes, at.row + row, at.column, m, n, group, {});
    if constexpr (kInBoxes < T::kN) write(kInBoxes / 8);
  } else {
    write(0);
  }
}

/// A warpgroup of those that multiply: 64·DOWN rows of each tile.
template <class T>
__device__ __forceinline__ void multiply_plain(const TensorMap& c, const Written<typename T::Out>& written,
                                               const Order<T>& order, unsigned stages, unsigned boxes,
                                               unsigned full, unsigned empty, int group, int m, int n) {
  Turn<T::kStages> turn;
  float sum[T::kDown][T::kPerStage];
  const int rows = group * T::kDown * 64;
  for (int tile = blockIdx.x / T::kCluster; tile < order.tiles; tile += gridDim.x / T::kCluster) {
    const Spot at = order.spot(tile);
    const int last = multiply_steps<T>(sum, turn, order.k_steps, stages, full, empty, rows);
    wait_for_products<0>();
    release<T>(empty, last);
#pragma unroll
    for (int down = 0; down < T::kDown; ++down)
      store_sums_at<T>(sum[down], c, written, boxes, at, rows + down * 64, m, n, group);
  }
}

/// The same with every second tile for each of two warpgroups. Each lets the other begin when its last
/// products are under way, so that the tensor cores are never without, and never with those of two tiles.
template <class T>
__device__ __forceinline__ void multiply_in_turns(const TensorMap& c, const Written<typename T::Out>& written,
                                                  const Order<T>& order, unsigned stages, unsigned boxes,
                                                  unsigned full, unsigned empty, int group, int m, int n) {
  constexpr int kMyTurn = 1 + T::kGroups;  // barriers 1 and 2: store_sums
  Turn<T::kStages> turn;
  float sum[T::kDown][T::kPerStage];
  const int next = gridDim.x / T::kCluster;
  if (group == 1) turn.skip(order.k_steps);
  for (int tile = blockIdx.x / T::kCluster + group * next; tile < order.tiles; tile += 2 * next) {
    const Spot at = order.spot(tile);
    if (tile >= next) wait_for_some(kMyTurn + group, 256);  // else: the block's first
    const int last = multiply_steps<T>(sum, turn, order.k_steps, stages, full, empty, 0);
    if (tile + next < order.tiles) arrive_with_some(kMyTurn + 1 - group, 256);
    turn.skip(order.k_steps);  // the other's
    wait_for_products<0>();
    release<T>(empty, last);
#pragma unroll
    for (int down = 0; down < T::kDown; ++down)
      store_sums_at<T>(sum[down], c, written, boxes, at, down * 64, m, n, group);
  }
}

/// The same with operands of two parts.
template <class T>
__device__ __forceinline__ void multiply_parts(const TensorMap& c, const Order<T>& order, unsigned stages,
                                               unsigned boxes, unsigned full, unsigned empty, int group,
                                               int m, int n, const Raised& raised) {
  Turn<T::kStages> turn;
  for (int tile = blockIdx.x / T::kCluster; tile < order.tiles; tile += gridDim.x / T::kCluster) {
    int row, column;
    order.place(tile, row, column);
    float sum[T::kDown][T::kPerStage] = {};
#pragma unroll 1
    for (int step = 0; step < order.k_steps; ++step, turn.next()) {
      barrier_wait(full + 8 * turn.stage, turn.parity);
      const unsigned stage = stages + turn.stage * T::kStage;
#pragma unroll
      for (int down = 0; down < T::kDown; ++down) {
        float part[T::kPerStage];
        const int rows = (group * T::kDown + down) * 64;
        begin_products();
        // The small products first, while the sum is small and little is cut off.
        multiply_stage<T>(part, stage, rows, 1, 0, 0);
        multiply_stage<T>(part, stage, rows, 0, 1, 1);
        multiply_stage<T>(part, stage, rows, 0, 0, 1);
        end_products();
        wait_for_products<0>();
        if (down == T::kDown - 1) release<T>(empty, turn.stage);
#pragma unroll
        for (int i = 0; i < T::kPerStage; ++i) sum[down][i] += part[i];
      }
    }
#pragma unroll
    for (int down = 0; down < T::kDown; ++down)
      store_sums<T, true>(sum[down], c, boxes, row + (group * T::kDown + down) * 64, column, m, n, group,
                          raised);
  }
}

/// Where a block has its stages, the boxes of results behind them, and the barriers of each stage.
struct Stages {
  unsigned stages, boxes, full, empty;
};
/// All threads: the stages, empty and known to the cluster.
template <class T>
__device__ __forceinline__ Stages make_stages() {
  extern __shared__ __align__(16) float shared[];
  __shared__ __align__(8) unsigned long long barriers[2 * T::kStages];
  Stages s;
  s.stages = (shared_address(shared) + 1023) & ~1023u;
  s.boxes = s.stages + T::kStages * T::kStage;
  s.full = shared_address(barriers), s.empty = s.full + 8 * T::kStages;
  if (threadIdx.x == 0) make_barriers<T>(s.full, s.empty);
  __syncthreads();
  if (T::kCluster > 1) wait_for_cluster();
  return s;
}

/// `written`: of an Ending. Grid: a multiple of the cluster, at most one block for each multiprocessor and
/// tile.
template <class T>
__device__ __forceinline__ void tensor_tiles(const TensorMap& a, const TensorMap& b, const TensorMap& c,
                                             int m, int n, int k, int band, const Raised& raised,
                                             const Written<typename T::Out>& written = {}) {
  const Lines<T> lines(m, n);
  const auto [stages, boxes, full, empty] = make_stages<T>();
  lines.clear_others(stages);
  const Order<T> order(m, n, k, band);
  if (threadIdx.x == 128 * T::kGroups) fetch_maps(a, b, c);
  wait_for_launch();
  const int group = threadIdx.x / 128;  // the last: has tiles copied
  if (group == T::kGroups) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(T::kToCopy));
    if (threadIdx.x == 128 * T::kGroups) {
      copy_tiles<T>(a, b, order, stages, full, empty, lines.copied());
      let_next_launch();
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(T::kToMultiply));
    const unsigned mine = boxes + group * 2 * T::kBox;
    if constexpr (T::kInTurns)
      multiply_in_turns<T>(c, written, order, stages, mine, full, empty, group, m, n);
    else if constexpr (T::kParts == 1)
      multiply_plain<T>(c, written, order, stages, mine, full, empty, group, m, n);
    else
      multiply_parts<T>(c, order, stages, mine, full, empty, group, m, n, raised);
    if (threadIdx.x % 128 == 0) wait_for_stores<0>();
  }
  // Nobody leaves while the other block still copies into it or arrives at its barriers.
  if (T::kCluster > 1) wait_for_cluster();
}
