// Float32 products on tensor cores with operands as sums of two or three 16-bit parts: tiles of 128 × N, 64
// rows for each of two warpgroups. Otherwise as tensor_tiles.h.
//
// Of two parts, whose sums are not the elements anyway, the upper ones' products and the others, which are
// small, have sums of their own: the small ones' goes on to the end, and the threads add only the upper
// parts' of each stage to the sum of all, to nearest, while the small ones are being multiplied.
//
// Of three the small products are summed first, so that large terms do not cut them off, and each stage's
// sums begin anew. The threads add up those of eight stages and then these: a sum is rounded at its full size
// an eighth as often, and what cuts off is no longer than a stage. The warpgroups take turns, a stage each:
// one adds while the other multiplies. (Additions cost the tensor cores time all the same, by what they read
// of the registers.)
//
// A block's tiles go along k forwards and backwards in turn: what it has read last may still be in L2.
#pragma once

#include "kernels/matmul/tensor_tiles.h"

/// PRODUCTS of two parts: 3, or 4 with low · low. Of three: 5 (each with the upper one), or 6 with middle ·
/// middle. TURNED: B is given as rows along n, else as rows along k, like A.
template <class TYPE, int PARTS, int PRODUCTS, int STAGES, int CLUSTER, bool TURNED, int N = 128>
struct Parts : Tensor<TYPE, PARTS, 1, N, STAGES, CLUSTER, float> {
  static constexpr int kProducts = PRODUCTS;
  static constexpr bool kTurned = TURNED;
  static_assert(PARTS == 2 ? PRODUCTS == 3 || PRODUCTS == 4 : PRODUCTS == 5 || PRODUCTS == 6);
};

/// Results on and below the diagonal, in bands of `band` rows of tiles. `mirrored`: to be stored above it
/// too.
template <class T>
struct LowerOrder {
  using Tile = T;
  int rows, tiles, band, rank, k_steps;
  __device__ __forceinline__ LowerOrder(int n, int k, int band_)
      : rows((n + T::kM * T::kCluster - 1) / (T::kM * T::kCluster)),
        tiles(rows * (rows + 1) / 2 * T::kCluster),
        band(band_),
        rank(T::kCluster > 1 ? rank_in_cluster() : 0),
        k_steps((k + T::kK - 1) / T::kK) {}
  __device__ __forceinline__ bool place(int tile, int& row, int& column) const {
    place_in_bands_of_triangle(tile / T::kCluster, rows, row, column);
    const bool mirrored = row != column;
    row = (row * T::kCluster + rank) * T::kM;
    column = (column * T::kCluster + tile % T::kCluster) * T::kN;
    return mirrored;
  }
  /// Number `at` of a triangle of `all_rows` rows.
  __device__ __forceinline__ void place_in_bands_of_triangle(int at, int all_rows, int& row,
                                                             int& column) const {
    place_in_triangle(at, row, column);
    const int first = row / band * band, height = min(band, all_rows - first);
    const int inside = at - first * (first + 1) / 2;
    if (inside < first * height) {
      row = first + inside % height, column = inside / height;
    } else {
      place_in_triangle(inside - first * height, row, column);
      row += first, column += first;
    }
  }
};

/// The same where a launch behind the product mirrors the tiles on the diagonal and adds up pieces
/// (LastTiles): the upper right quarter of these tiles is left out. As they take less time they are tiles
/// `diagonal` to `diagonal` + rows, of the last round: so that their blocks also have the pieces, or nothing
/// behind them.
template <class T>
struct MirroredLater : LowerOrder<T> {
  static_assert(T::kCluster == 1 && T::kM == T::kN);
  int diagonal;
  __device__ __forceinline__ MirroredLater(int n, int k, int band, int diagonal_)
      : LowerOrder<T>(n, k, band), diagonal(diagonal_) {}
  __device__ __forceinline__ bool place(int tile, int& row, int& column) const {
    const int rows = this->rows, on = tile - diagonal;
    if (on >= 0 && on < rows) {
      row = column = on * T::kM;
      return false;
    }
    this->place_in_bands_of_triangle(on < 0 ? tile : tile - rows, rows - 1, row, column);
    row = (row + 1) * T::kM, column *= T::kN;
    return true;
  }
};
/// Whether an order is of that kind.
template <class ORDER>
constexpr bool kMirroredLater = false;
template <class T>
constexpr bool kMirroredLater<MirroredLater<T>> = true;

/// The last tiles, from `whole` on, are cut along k into `pieces` each, so that every block has work. Pieces'
/// sums go to `partial`, where they are added up, always in the same order, by who comes last to a tile.
/// `done` counts who has come, from 0, for each warpgroup of each of these tiles.
///
/// If there are blocks enough, some compute pieces before their whole tiles, and others come to add up after
/// theirs: all pieces should be there by then.
struct LastTiles {
  int whole, pieces;
  float4* partial;
  unsigned* done;
  int diagonal;  ///< of A·Aᵀ: MirroredLater
};
/// Of a tile the steps from `first` to `end`: none where a block only adds up. `cut`: which of the tiles that
/// are cut, or -1.
struct Item {
  int row, column, first, end, cut, piece;
  bool mirrored;
};
/// What blocks do, one after another: whole tiles of an ORDER and pieces of the last ones.
template <class ORDER>
struct Items {
  ORDER order;
  LastTiles last;
  bool adders;                                       ///< blocks that have no piece add up
  int pieces, first_piece, first_whole, multiplied;  ///< of all tiles; where they begin; items with steps
  int count;
  __device__ __forceinline__ explicit Items(const ORDER& all) : Items(all, {all.tiles, 1}) {}
  __device__ __forceinline__ Items(const ORDER& all, const LastTiles& last_) : order(all), last(last_) {
    const int cut = all.tiles - last.whole;
    pieces = cut * last.pieces, multiplied = last.whole + pieces;
    adders = !kMirroredLater<ORDER> && last.whole > 0 &&
             pieces + cut <= static_cast<int>(gridDim.x) / ORDER::Tile::kCluster;
    first_piece = adders ? 0 : last.whole, first_whole = adders ? pieces : 0;
    count = multiplied + (adders ? cut : 0);
  }
  __device__ __forceinline__ Item item(int i) const {
    Item item{0, 0, 0, order.k_steps, -1, 0};
    int tile = i - first_whole;
    if (i >= multiplied) {
      item.cut = i - multiplied, item.piece = last.pieces;
      item.first = order.k_steps;
    } else if (i >= first_piece && i < first_piece + pieces) {
      item.cut = (i - first_piece) / last.pieces, item.piece = (i - first_piece) % last.pieces;
      item.first = order.k_steps * item.piece / last.pieces;
      item.end = order.k_steps * (item.piece + 1) / last.pieces;
    }
    if (item.cut >= 0) tile = last.whole + item.cut;
    item.mirrored = order.place(tile, item.row, item.column);
    return item;
  }
};

/// One thread: has all tiles copied that the block's warpgroups multiply.
template <class T, class ORDER>
__device__ __forceinline__ void copy_parts(const TensorMap& a, const TensorMap& b, const Items<ORDER>& items,
                                           unsigned stages, unsigned full, unsigned empty) {
  constexpr int kPieces = T::kPanels / T::kCluster;  // of B, of 64 columns each
  Turn<T::kStages> turn;
  bool backwards = false;
  for (int i = blockIdx.x / T::kCluster; i < items.multiplied; i += gridDim.x / T::kCluster) {
    const Item item = items.item(i);
    const int row = item.row, column = item.column;
    for (int at = item.first; at < item.end; ++at, turn.next()) {
      const int step = backwards ? item.first + item.end - 1 - at : at;
      barrier_wait(empty + 8 * turn.stage, turn.parity ^ 1);
      const unsigned arrived = full + 8 * turn.stage, to = stages + turn.stage * T::kStage;
      barrier_expect(arrived, T::kStage);
#pragma unroll
      for (int part = 0; part < T::kParts; ++part) {
        copy_box(to + part * T::kPartA, a, step * T::kK, row, part, arrived);
        const unsigned to_b = to + T::kParts * T::kPartA + part * T::kPartB;
#pragma unroll
        for (int j = 0; j < kPieces; ++j) {
          const int piece = items.order.rank * kPieces + j;
          const int x = T::kTurned ? column + piece * 64 : step * T::kK;
          const int y = T::kTurned ? step * T::kK : column + piece * 64;
          copy_box_where<(T::kCluster > 1)>(to_b + piece * T::kPanel, b, x, y, part, arrived);
        }
      }
    }
    backwards = !backwards;
  }
}

/// The products of the warpgroup's rows of part `pa` of A with part `pb` of B in a stage.
template <class T, int SUMS>
__device__ __forceinline__ void multiply_part(float (&sum)[SUMS], unsigned stage, int group, int pa, int pb,
                                              int add) {
  const unsigned long long a = describe(stage + pa * T::kPartA + group * 64 * 128, 16);
  const unsigned long long b =
      describe(stage + T::kParts * T::kPartA + pb * T::kPartB, T::kTurned ? T::kPanel : 16);
#pragma unroll
  for (int k = 0; k < T::kK / 16; ++k)
    Products<typename T::Type, T::kTurned>::multiply(sum, a + k * 2, b + k * (T::kTurned ? 128 : 2),
                                                     k > 0 ? 1 : add);
}
template <class T, int SUMS>
__device__ __forceinline__ void multiply_small(float (&low)[SUMS], unsigned stage, int group, int add) {
  constexpr bool kMiddle = T::kProducts == 4 || T::kProducts == 6;
  if (T::kParts == 3) {
    multiply_part<T>(low, stage, group, 2, 0, add);
    multiply_part<T>(low, stage, group, 0, 2, 1);
  }
  if (kMiddle) multiply_part<T>(low, stage, group, 1, 1, T::kParts == 3 ? 1 : add);
  multiply_part<T>(low, stage, group, 1, 0, T::kParts == 3 || kMiddle ? 1 : add);
  multiply_part<T>(low, stage, group, 0, 1, 1);
}
template <int SUMS>
__device__ __forceinline__ void add_sums(float (&sum)[SUMS], const float (&more)[SUMS]) {
#pragma unroll
  for (int i = 0; i < SUMS; ++i) sum[i] += more[i];
}

/// Takes off the results what their operands were raised by.
template <class T>
__device__ __forceinline__ void take_off(float (&sum)[T::kPerStage], int row, int column, int m, int n,
                                         const Raised& raised) {
  const int t = threadIdx.x % 128, r = row + t / 32 * 16 + t % 32 / 4, c = column + t % 4 * 2;
  int row_exponent[2];
#pragma unroll
  for (int h = 0; h < 2; ++h) row_exponent[h] = r + 8 * h < m ? raised.rows[r + 8 * h] : 0;
#pragma unroll
  for (int j = 0; j < T::kN / 8; ++j) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int x = c + 8 * j + i, exponent = x < n ? raised.columns[x] : 0;
#pragma unroll
      for (int h = 0; h < 2; ++h)
        sum[4 * j + 2 * h + i] = raise(sum[4 * j + 2 * h + i], max(-252, -(row_exponent[h] + exponent)));
    }
  }
}

/// The warpgroup's 64 rows as 64 columns of the transposed matrix, from (column, row) of it on: 64 rows at a
/// time, in two boxes of 32 columns that two warps each write.
template <class T>
__device__ __forceinline__ void store_turned(const float (&sum)[T::kPerStage], const TensorMap& c,
                                             unsigned boxes, int row, int column, int group) {
  const int t = threadIdx.x % 128, warp = t / 32, r = warp % 2 * 16 + t % 32 / 4, pair = t % 4 * 2;
  const unsigned to = boxes + warp / 2 * T::kBox;
#pragma unroll
  for (int part = 0; part < T::kN / 64; ++part) {
    if (t == 0) wait_for_stores<0>();
    wait_for_some(1 + group, 128);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int y = 8 * j + pair + e % 2, x = r + 8 * (e / 2);
        const unsigned at = to + y * 128 + ((x / 4 ^ y) & 7) * 16 + x % 4 * 4;
        asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(sum[(part * 8 + j) * 4 + e]) : "memory");
      }
    }
    show_to_copies();
    wait_for_some(1 + group, 128);
    if (t == 0) {
      store_box(c, row, column + part * 64, boxes);
      store_box(c, row + 32, column + part * 64, boxes + T::kBox);
    }
  }
}

/// Where the warpgroup's sums of a piece of tile `tile` go, `group` counted as well: for each four of a
/// thread 128 float4.
template <class T>
__device__ __forceinline__ float4* piece_at(const LastTiles& last, int tile, int piece) {
  return last.partial + (static_cast<size_t>(tile) * last.pieces + piece) * (T::kPerStage / 4 * 128);
}
template <class T>
__device__ __forceinline__ void keep_piece(const float (&sum)[T::kPerStage], const LastTiles& last, int tile,
                                           int piece) {
  float4* const mine = piece_at<T>(last, tile, piece) + threadIdx.x % 128;
#pragma unroll
  for (int i = 0; i < T::kPerStage / 4; ++i)
    mine[i * 128] = make_float4(sum[4 * i], sum[4 * i + 1], sum[4 * i + 2], sum[4 * i + 3]);
}

/// Keeps the warpgroup's sums of a piece, if it has one, and adds all of the tile's up in `sum`, if it is the
/// last to come. False: another block will. `is_last`: a word of shared memory for each warpgroup. `rank`:
/// the block's in its cluster, whose tiles are cut alike.
template <class T>
__device__ __forceinline__ bool add_last_tiles(float (&sum)[T::kPerStage], const LastTiles& last, bool adders,
                                               const Item& item, int rank, int group, int* is_last) {
  constexpr int kFours = T::kPerStage / 4;
  const int t = threadIdx.x % 128, tile = (item.cut * T::kCluster + rank) * 2 + group;
  if (item.piece < last.pieces) {
    keep_piece<T>(sum, last, tile, item.piece);
    __threadfence();  // publish: the sums are visible before the count
  }
  wait_for_some(1 + group, 128);
  if (t == 0)
    is_last[group] = atomicAdd(last.done + tile, 1u) == static_cast<unsigned>(last.pieces) - !adders;
  wait_for_some(1 + group, 128);
  // A vote, so that the compiler knows that a warp stays together: else the addresses of the tiles to come
  // would lie in registers of threads (8 % at 4096).
  if (!__any_sync(~0u, is_last[group])) return false;
  __threadfence();  // acquire: no sum is read before the count
#pragma unroll
  for (int i = 0; i < T::kPerStage; ++i) sum[i] = 0;
  const float4* const pieces = piece_at<T>(last, tile, 0) + t;
#pragma unroll 1
  for (int piece = 0; piece < last.pieces; ++piece) {
#pragma unroll
    for (int i = 0; i < kFours; ++i) {
      const float4 v = pieces[(piece * kFours + i) * 128];
      sum[4 * i] += v.x, sum[4 * i + 1] += v.y, sum[4 * i + 2] += v.z, sum[4 * i + 3] += v.w;
    }
  }
  return true;
}

/// The products of a stage, as soon as its copies are here. Under way are then those of the upper parts and,
/// later, the small ones (two parts), or all (three).
template <class T, int SUMS>
__device__ __forceinline__ void multiply_two_parts(float (&part)[SUMS], float (&low)[SUMS], unsigned stage,
                                                   int group, bool first) {
  begin_products();
  multiply_part<T>(part, stage, group, 0, 0, 0);
  end_products();
  multiply_small<T>(low, stage, group, !first);
  end_products();
}
template <class T, int SUMS>
__device__ __forceinline__ void multiply_three_parts(float (&part)[SUMS], unsigned stage, int group) {
  begin_products();
  multiply_small<T>(part, stage, group, 0);
  multiply_part<T>(part, stage, group, 0, 0, 1);
  end_products();
}

/// What a warpgroup that multiplies has at hand.
template <class T>
struct Multiplier {
  unsigned stages, full, empty;
  int group;
  Turn<T::kStages> turn;
  bool first;  ///< of all steps of the block
};

/// An item's steps along k, for the warpgroup's 64 rows by 2 · SUMS columns. `more_items`: the block has
/// others behind it.
template <class T, int SUMS>
__device__ __forceinline__ void multiply_steps(float (&sum)[SUMS], Multiplier<T>& of, const Item& item,
                                               bool more_items) {
  constexpr bool kInTurns = T::kParts == 3;
  constexpr int kMyTurn = 3;            // barriers 1 and 2: stores, last tiles
  constexpr int kStagesAddedFirst = 8;  // of three parts
  float part[SUMS], more[SUMS] = {};    // of two parts the small products, of three some stages' sums
#pragma unroll 1
  for (int step = item.first; step < item.end;) {
    const int end = kInTurns ? min(step + kStagesAddedFirst, item.end) : item.end;
#pragma unroll 1
    for (; step < end; ++step, of.turn.next()) {
      barrier_wait(of.full + 8 * of.turn.stage, of.turn.parity);
      const unsigned stage = of.stages + of.turn.stage * T::kStage;
      if constexpr (kInTurns) {
        if (!of.first) wait_for_some(kMyTurn + of.group, 256);
        of.first = false;
        multiply_three_parts<T>(part, stage, of.group);
        if (of.group == 0 || more_items || step + 1 < item.end) arrive_with_some(kMyTurn + 1 - of.group, 256);
      } else {
        multiply_two_parts<T>(part, more, stage, of.group, step == item.first);
        wait_for_products<1>();  // those of the upper parts
        add_sums(sum, part);
      }
      wait_for_products<0>();  // at once: the other warpgroup has products under way, and the copies wait
      release<T>(of.empty, of.turn.stage);
      if (kInTurns) add_sums(more, part);
    }
    add_sums(sum, more);
#pragma unroll
    for (int j = 0; j < SUMS; ++j) more[j] = 0;
  }
}

/// One of the two warpgroups that multiply.
template <class T, bool RAISED, bool LOWER, class ORDER>
__device__ __forceinline__ void multiply_tile_parts(const TensorMap& c, const Items<ORDER>& items,
                                                    unsigned stages, unsigned boxes, unsigned full,
                                                    unsigned empty, int group, int m, int n,
                                                    const Raised& raised, int* is_last) {
  const int next = gridDim.x / T::kCluster;
  Multiplier<T> of{stages, full, empty, group, {}, group == 0};
  for (int i = blockIdx.x / T::kCluster; i < items.count; i += next) {
    const Item item = items.item(i);
    const int row = item.row + group * 64, column = item.column;
    const bool more_items = i + next < items.multiplied;
    float sum[T::kPerStage] = {};
    bool half = false;  // of a tile on the diagonal, the first rows' first columns
    if constexpr (kMirroredLater<ORDER>) {
      half = __any_sync(~0u, group == 0 && !item.mirrored);  // a vote: see add_last_tiles
      if (half) multiply_steps<T>(reinterpret_cast<float(&)[T::kPerStage / 2]>(sum), of, item, more_items);
    }
    if (!half) multiply_steps<T>(sum, of, item, more_items);
    if constexpr (kMirroredLater<ORDER>) {
      if (item.cut >= 0) {
        keep_piece<T>(sum, items.last, 2 * item.cut + group, item.piece);
        continue;
      }
    } else if (T::kCluster == 1 && item.cut >= 0 &&
               !add_last_tiles<T>(sum, items.last, items.adders, item, items.order.rank, group, is_last)) {
      continue;
    }
    if (RAISED) take_off<T>(sum, row, column, m, n, raised);
    store_sums<T, false>(sum, c, boxes, row, column, m, n, group, {});
    if (LOWER && item.mirrored) store_turned<T>(sum, c, boxes, row, column, group);
  }
}

/// Grid: a multiple of the cluster, at most one block for each multiprocessor and tile. LOWER: A·Aᵀ, where C
/// is symmetric and b is a.
template <class T, bool RAISED, bool LOWER, class ORDER>
__device__ __forceinline__ void part_tiles(const TensorMap& a, const TensorMap& b, const TensorMap& c, int m,
                                           int n, const Items<ORDER>& items, const Raised& raised) {
  __shared__ int is_last[2];
  const auto [stages, boxes, full, empty] = make_stages<T>();
  if (threadIdx.x == 256) fetch_maps(a, b, c);
  wait_for_launch();
  const int group = threadIdx.x / 128;  // 2: has tiles copied
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x == 256) {
      copy_parts<T>(a, b, items, stages, full, empty);
      let_next_launch();
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    multiply_tile_parts<T, RAISED, LOWER>(c, items, stages, boxes + group * 2 * T::kBox, full, empty, group,
                                          m, n, raised, is_last);
    if (threadIdx.x % 128 == 0) wait_for_stores<0>();
  }
  if (T::kCluster > 1) wait_for_cluster();
}
/// All tiles whole.
template <class T, bool RAISED, bool LOWER, template <class> class ORDER>
__device__ __forceinline__ void part_tiles(const TensorMap& a, const TensorMap& b, const TensorMap& c, int m,
                                           int n, const ORDER<T>& order, const Raised& raised) {
  part_tiles<T, RAISED, LOWER>(a, b, c, m, n, Items<ORDER<T>>(order), raised);
}
