// C = A·B (m × n, inner size k), row-major, any shape: tiles of A and B come to shared memory by asynchronous
// copies, several stages ahead of the arithmetic; every thread holds TM × TN results in registers.
//
// Dynamic shared memory: Tiles::kBytes. Threads: Tiles::kThreads, one-dimensional.
#pragma once

#include "kernels/async_copy.h"

/// How an operand travels.
enum Travel {
  kChunks,      ///< 16 bytes at a time, as it lies across k: rows begin and end at multiples of 16 bytes
  kWords,       ///< a word at a time, as it lies across k
  kTransposed,  ///< a word at a time; a row of the source (along k) becomes a column
  /// 16 bytes at a time, as it lies across k, whatever words its rows begin at: from the multiple of 16 bytes
  /// before a row's first word. Only for B. Its first row begins at a multiple of 16 bytes, and from a row to
  /// the next are 0 to 3 words more than a multiple of four.
  kHulls0,
  kHulls1,
  kHulls2,
  kHulls3,
};
__device__ constexpr bool in_hulls(Travel travel) { return travel >= kHulls0; }
/// Words from the multiple of 16 bytes before row k of an operand in hulls to its first.
__device__ constexpr int hull_skip(Travel travel, int k) { return k * (travel - kHulls0) & 3; }
/// The first `bytes` of 16 as copy_16; the others become zeros.
__device__ __forceinline__ void copy_some(unsigned to, const float* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}
/// Where a row's 16 bytes number `four` lie in shared memory: eight lanes, which have TN columns each, read
/// from all banks.
template <int TN>
__device__ __forceinline__ int hull_place(int four) {
  return four ^ (four >> 3 & TN / 4 - 1);
}

/// A matrix, and the words from one row of it to the next.
struct Operand {
  const float* data;
  int stride;
};
/// Where the results go. `chunks`: 16 bytes at a time, for which rows begin and end at multiples of 16 bytes.
struct Results {
  float* data;
  int stride;
  bool chunks;
};

/// BM × BN results a block, in steps of BK; WM × WN warps; a warp's lanes are LANES_M × 32/LANES_M and a lane
/// has TM × TN results. GROUPS of so many warps: each group multiplies its part of every step, all of them
/// for the same results. BY_COLUMNS: the order of the multiply-adds. SHORT: a last step that is not whole is
/// multiplied four k at a time.
template <int BK_, int TM_, int TN_, int LANES_M, int WM, int WN, int STAGES, Travel B_,
          Travel A_ = kTransposed, int GROUPS = 1, bool BY_COLUMNS = false, bool SHORT = false>
struct Tiles {
  static constexpr int BK = BK_, TM = TM_, TN = TN_, LM = LANES_M, LN = 32 / LANES_M, kStages = STAGES;
  static constexpr int BM = WM * LM * TM, BN = WN * LN * TN, kWarpsN = WN, kGroups = GROUPS;
  static constexpr int kGroup = 32 * WM * WN, kThreads = GROUPS * kGroup;
  static constexpr bool kByColumns = BY_COLUMNS, kShort = SHORT;
  static constexpr Travel A = A_, B = B_;
  // Words of a row in shared memory. Four more where columns are written: the rows then begin in other banks.
  // (And where hulls end.)
  static constexpr int kRowA = A == kTransposed ? BM + 4 : BM,
                       kRowB = B == kTransposed || in_hulls(B) ? BN + 4 : BN;
  static constexpr int kWordsA = BK * kRowA;
  static constexpr int kStage = kWordsA + BK * kRowB;  ///< words
  static constexpr int kBytes = kStages * kStage * 4;
};

/// What a thread copies of each of an operand's tiles: COUNT pieces that lie `apart` words from each other in
/// the matrix and APART_TO bytes in shared memory. The next tile lies `next` words further.
template <int COUNT, int APART_TO, bool CHUNKS>
struct Copier {
  const float* from;
  size_t apart, next;
  unsigned to;      ///< in bytes from the tile's beginning
  unsigned inside;  ///< bit i: piece i lies within the matrix across the direction of k
  int k_left;       ///< from the thread's first piece to the end of k
  int k_apart;      ///< k from a piece to the next

  /// Piece i of the tile that comes next, to the tile's place in shared memory. Beyond the end of k: zeros.
  __device__ __forceinline__ void copy(int i, unsigned tile) const {
    const bool there = (inside >> i & 1) != 0 && i * k_apart < k_left;
    if (CHUNKS)
      copy_16(tile + to + i * APART_TO, from + i * apart, there);
    else
      copy_4(tile + to + i * APART_TO, from + i * apart, there);
  }
  __device__ __forceinline__ void advance(int bk) {
    from += next;
    k_left -= bk;
  }
};

/// For ROWS rows of BK along k, from (row0, k0) of a matrix with `rows` rows, to [k][row]. A warp copies
/// 8 words, a sector of memory, of each of 4 rows: rows of ROW words, ROW % 32 = 4, take them without
/// conflicts.
template <int ROWS, int BK, int THREADS, int ROW>
struct AlongK {
  static constexpr int kPieces = BK / 8;               ///< of 8 words, along k
  static constexpr int kStep = THREADS / 8 / kPieces;  ///< rows from a piece to the next
  static constexpr int kCount = ROWS / kStep;
  static_assert(ROWS % kStep == 0 && kStep % 4 == 0 && ROW % 32 == 4);
  using Type = Copier<kCount, kStep * 4, false>;

  __device__ static __forceinline__ Type make(const Operand& matrix, int row0, int rows, int k0, int last) {
    const int t = threadIdx.x, row = t % 32 / 8 + t / 32 / kPieces * 4;
    const int along = t % 8 + t / 32 % kPieces * 8;
    Type copier;
    copier.from = matrix.data + static_cast<size_t>(row0 + row) * matrix.stride + k0 + along;
    copier.apart = static_cast<size_t>(kStep) * matrix.stride;
    copier.next = BK;
    copier.to = (along * ROW + row) * 4;
    copier.inside = 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i) copier.inside |= (row0 + row + i * kStep < rows ? 1u : 0u) << i;
    copier.k_left = last - k0 - along;
    copier.k_apart = 0;
    return copier;
  }
};

/// For BK rows of COLUMNS words from (k0, column0) of a matrix with `columns` columns.
template <int COLUMNS, int BK, int THREADS, bool CHUNKS>
struct AcrossK {
  static constexpr int kWide = CHUNKS ? 4 : 1, kAcross = COLUMNS / kWide, kStep = THREADS / kAcross;
  static constexpr int kCount = BK / kStep, kTo = kStep * COLUMNS * 4;
  static_assert(THREADS % kAcross == 0 && BK % kStep == 0);
  using Type = Copier<kCount, kTo, CHUNKS>;

  __device__ static __forceinline__ Type make(const Operand& matrix, int column0, int columns, int k0,
                                              int last) {
    const int row = threadIdx.x / kAcross, column = threadIdx.x % kAcross * kWide;
    Type copier;
    copier.from = matrix.data + static_cast<size_t>(k0 + row) * matrix.stride + column0 + column;
    copier.apart = static_cast<size_t>(kStep) * matrix.stride;
    copier.next = static_cast<size_t>(BK) * matrix.stride;
    copier.to = (row * COLUMNS + column) * 4;
    copier.inside = column0 + column < columns ? ~0u : 0u;
    copier.k_left = last - k0 - row;
    copier.k_apart = kStep;
    return copier;
  }
};

/// The same for rows in hulls (TRAVEL). Words beyond a row's end are zeros; those before its first are not
/// looked at.
template <int COLUMNS, int BK, int THREADS, int TN, Travel TRAVEL>
struct HullsAcrossK {
  static constexpr int kFours = COLUMNS / 4, kStep = THREADS / kFours, kRows = BK / kStep;
  static constexpr int kCount = kRows + (TRAVEL == kHulls0 ? 0 : 1), kTo = kStep * (COLUMNS + 4) * 4;
  // A thread's rows all begin at the same word of their 16 bytes; a warp copies whole rows.
  static_assert(THREADS % kFours == 0 && BK % kStep == 0 && kStep % 4 == 0 && kFours == 32);

  struct Type {
    const float* from;
    size_t apart, next, more;  ///< more: words to what follows the row's fours, of one row a lane
    unsigned to, to_more;
    int bytes, bytes_more;  ///< within the row, of 16; more: negative where the lane has none
    int k_left;
    __device__ __forceinline__ void copy(int i, unsigned tile) const {
      if (i < kRows)
        copy_some(tile + to + i * kTo, from + i * apart, i * kStep < k_left ? bytes : 0);
      else if (bytes_more >= 0)
        copy_some(tile + to_more, from + more,
                  static_cast<int>(threadIdx.x % 32) * kStep < k_left ? bytes_more : 0);
    }
    __device__ __forceinline__ void advance(int bk) {
      from += next;
      k_left -= bk;
    }
  };
  /// k0 is a multiple of four.
  __device__ static __forceinline__ Type make(const Operand& matrix, int column0, int columns, int k0,
                                              int last) {
    const int row = threadIdx.x / 32, lane = threadIdx.x % 32, skip = hull_skip(TRAVEL, row);
    const int left = columns - column0 + skip;  // words from the hull's beginning to the row's end
    Type copier;
    copier.from = matrix.data + static_cast<size_t>(k0 + row) * matrix.stride + column0 - skip + 4 * lane;
    copier.apart = static_cast<size_t>(kStep) * matrix.stride;
    copier.next = static_cast<size_t>(BK) * matrix.stride;
    copier.more = lane * copier.apart + COLUMNS - 4 * lane;
    copier.to = (row * (COLUMNS + 4) + 4 * hull_place<TN>(lane)) * 4;
    copier.to_more = ((row + kStep * lane) * (COLUMNS + 4) + COLUMNS) * 4;
    copier.bytes = 4 * max(0, min(4, left - 4 * lane));
    copier.bytes_more = skip > 0 && lane < kRows ? 4 * max(0, min(4, left - COLUMNS)) : -1;
    copier.k_left = last - k0 - row;
    return copier;
  }
};

/// The copier of an operand of LINES rows of A or columns of B: rows of ROW words in shared memory.
template <class T, Travel TRAVEL, int LINES, int ROW>
struct CopierOf : AcrossK<LINES, T::BK, T::kThreads, TRAVEL == kChunks> {};
template <class T, int LINES, int ROW>
struct CopierOf<T, kTransposed, LINES, ROW> : AlongK<LINES, T::BK, T::kThreads, ROW> {};
#define HULLS(TRAVEL)                    \
  template <class T, int LINES, int ROW> \
  struct CopierOf<T, TRAVEL, LINES, ROW> : HullsAcrossK<LINES, T::BK, T::kThreads, T::TN, TRAVEL> {};
HULLS(kHulls0)
HULLS(kHulls1)
HULLS(kHulls2)
HULLS(kHulls3)
#undef HULLS
template <class T>
using CopyA = CopierOf<T, T::A, T::BM, T::kRowA>;
template <class T>
using CopyB = CopierOf<T, T::B, T::BN, T::kRowB>;

/// A thread's place in its block's tile.
template <class T>
struct Place {
  int lane_m, lane_n, row, column;  ///< the lane; the first row and column of its warp
  __device__ __forceinline__ Place() {
    const int lane = threadIdx.x % 32, warp = threadIdx.x % T::kGroup / 32;
    lane_m = lane / T::LN;
    lane_n = lane % T::LN;
    row = warp / T::kWarpsN * T::LM * T::TM;
    column = warp % T::kWarpsN * T::LN * T::TN;
  }
  /// Row i of the thread's TM, column j of its TN: groups of four, so that a warp's reads of 16 bytes lie
  /// side by side. Of B in hulls a thread's columns do.
  __device__ __forceinline__ int row_of(int i) const { return row + i / 4 * T::LM * 4 + lane_m * 4 + i % 4; }
  __device__ __forceinline__ int column_of(int j) const { return column + column_of_warp(j); }
  __device__ __forceinline__ int column_of_warp(int j) const {
    return in_hulls(T::B) ? lane_n * T::TN + j : j / 4 * T::LN * 4 + lane_n * 4 + j % 4;
  }
};

/// There and back, row by row or column by column: one operand stays from each to the next.
template <bool BY_COLUMNS, int TM, int TN>
__device__ __forceinline__ void multiply_add(float (&sum)[TM][TN], const float (&a)[TM],
                                             const float (&b)[TN]) {
  constexpr int kOuter = BY_COLUMNS ? TN : TM, kInner = BY_COLUMNS ? TM : TN;
#pragma unroll
  for (int o = 0; o < kOuter; ++o)
#pragma unroll
    for (int p = 0; p < kInner; ++p) {
      const int q = o % 2 == 0 ? p : kInner - 1 - p, i = BY_COLUMNS ? q : o, j = BY_COLUMNS ? o : q;
      sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
    }
}

template <int N>
__device__ __forceinline__ void read_fours(float (&to)[N], const float* from, int apart) {
#pragma unroll
  for (int j = 0; j < N; j += 4) {
    const float4 v = *reinterpret_cast<const float4*>(from + j / 4 * apart);
    to[j] = v.x, to[j + 1] = v.y, to[j + 2] = v.z, to[j + 3] = v.w;
  }
}

/// One thread's operands of one k.
template <class T>
struct Operands {
  float a[T::TM], b[T::TN];
};

/// Reads the operands of k from a stage.
template <class T>
__device__ __forceinline__ void read_operands(Operands<T>& to, const float* stage, int k,
                                              const Place<T>& place) {
  read_fours(to.a, stage + k * T::kRowA + place.row + place.lane_m * 4, T::LM * 4);
  const float* const row = stage + T::kWordsA + k * T::kRowB;
  if constexpr (in_hulls(T::B)) {
    const int first = (place.column + place.lane_n * T::TN) / 4, skip = hull_skip(T::B, k);
    float words[T::TN + 4];
#pragma unroll
    for (int i = 0; i < T::TN / 4 + (skip > 0 ? 1 : 0); ++i) {
      const float4 v = *reinterpret_cast<const float4*>(row + 4 * hull_place<T::TN>(first + i));
      words[4 * i] = v.x, words[4 * i + 1] = v.y, words[4 * i + 2] = v.z, words[4 * i + 3] = v.w;
    }
#pragma unroll
    for (int j = 0; j < T::TN; ++j) to.b[j] = words[j + skip];
  } else {
    read_fours(to.b, row + place.column + place.lane_n * 4, T::LN * 4);
  }
}

/// The product of rows row0 … of A (m in all) and columns column0 … of B (n), over k from `first` to `last`.
/// With AHEAD the operands of the next k are read while those of this one are multiplied, over the stages'
/// borders too.
template <class T, bool AHEAD>
__device__ __forceinline__ void multiply_tiles(float (&sum)[T::TM][T::TN], const Operand& a, const Operand& b,
                                               int row0, int column0, int m, int n, int first, int last,
                                               const Place<T>& place) {
  extern __shared__ __align__(16) float shared[];
  auto copy_a = CopyA<T>::make(a, row0, m, first, last);
  auto copy_b = CopyB<T>::make(b, column0, n, first, last);
  const unsigned base = shared_address(shared);
  const int depth = last - first, copied = (depth + T::BK - 1) / T::BK;
  // A step that is nearly whole is no slower than its pieces.
  const int steps = T::kShort && depth % T::BK <= T::BK * 3 / 4 ? depth / T::BK : copied;
  constexpr int kA = CopyA<T>::kCount, kPieces = kA + CopyB<T>::kCount;
  const auto copy_piece = [&](int i, int stage) {
    if (i < kA)
      copy_a.copy(i, base + stage * T::kStage * 4);
    else
      copy_b.copy(i - kA, base + (stage * T::kStage + T::kWordsA) * 4);
  };
  const auto end_stage = [&] {
    copy_a.advance(T::BK);
    copy_b.advance(T::BK);
    end_group();
  };
#pragma unroll
  for (int s = 0; s < T::kStages - 1; ++s) {
    if (!T::kShort || s <= copied) {  // the first k of the step behind the last may be read
#pragma unroll
      for (int i = 0; i < kPieces; ++i) copy_piece(i, s);
    }
    end_stage();
  }
  wait_for_groups<T::kStages - 2>();
  __syncthreads();
  int reading = 0, writing = T::kStages - 1;
  constexpr int kDepth = T::BK / T::kGroups;  // of a step, a group's
  static_assert(T::BK % T::kGroups == 0 && (!AHEAD || kDepth % 2 == 0));
  const int group = T::kGroups == 1 ? 0 : static_cast<int>(threadIdx.x) / T::kGroup, group_k = group * kDepth;
  Operands<T> operands[AHEAD ? 2 : 1];
  if (AHEAD) read_operands<T>(operands[0], shared, group_k, place);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    const float* stage = shared + reading * T::kStage;
    reading = reading + 1 == T::kStages ? 0 : reading + 1;
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      if (!AHEAD) read_operands<T>(operands[0], stage, group_k + k, place);
      if (k == kDepth - 1) {
        wait_for_groups<T::kStages - 2>();
        __syncthreads();  // everyone's copies are here, and nobody reads this stage any more
      }
      if (k == 0) {
#pragma unroll
        for (int i = 0; i < kPieces; ++i) copy_piece(i, writing);
        end_stage();
      }
      if (AHEAD) {
        if (k < kDepth - 1)
          read_operands<T>(operands[(k + 1) % 2], stage, group_k + k + 1, place);
        else
          read_operands<T>(operands[(k + 1) % 2], shared + reading * T::kStage, group_k, place);
      }
      multiply_add<T::kByColumns>(sum, operands[AHEAD ? k % 2 : 0].a, operands[AHEAD ? k % 2 : 0].b);
    }
    writing = writing + 1 == T::kStages ? 0 : writing + 1;
  }
  if (T::kShort) {
#pragma unroll 1
    for (int k = group * 4; k < depth - steps * T::BK; k += T::kGroups * 4)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        read_operands<T>(operands[0], shared + reading * T::kStage, k + i, place);
        multiply_add<T::kByColumns>(sum, operands[0].a, operands[0].b);
      }
  }
}

/// Adds up the groups' sums, half of the groups to the other half until one has them all. True for its
/// threads.
template <class T>
__device__ __forceinline__ bool add_groups(float (&sum)[T::TM][T::TN]) {
  if constexpr (T::kGroups > 1) {
    constexpr int kEach = T::TM * T::TN;
    static_assert(T::kGroups / 2 * kEach * T::kGroup * 4 <= T::kBytes);
    extern __shared__ __align__(16) float shared[];
    const int group = threadIdx.x / T::kGroup;
    wait_for_groups<0>();  // of copies: the stages are free
#pragma unroll
    for (int half = T::kGroups / 2; half > 0; half /= 2) {
      __syncthreads();
      float* const mine = shared + group % half * kEach * T::kGroup + threadIdx.x % T::kGroup;
      if (group >= half && group < 2 * half)
#pragma unroll
        for (int i = 0; i < kEach; ++i) mine[i * T::kGroup] = sum[i / T::TN][i % T::TN];
      __syncthreads();
      if (group < half)
#pragma unroll
        for (int i = 0; i < kEach; ++i) sum[i / T::TN][i % T::TN] += mine[i * T::kGroup];
    }
    return group == 0;
  }
  return true;
}

template <class T>
__device__ __forceinline__ void store_tile(const float (&sum)[T::TM][T::TN], const Results& c, int row0,
                                           int column0, int m, int n, const Place<T>& place) {
#pragma unroll
  for (int i = 0; i < T::TM; ++i) {
    const int row = row0 + place.row_of(i);
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < T::TN; j += 4) {
      const int column = column0 + place.column_of(j);
      float* p = c.data + static_cast<size_t>(row) * c.stride + column;
      if (c.chunks) {
        if (column < n)
          *reinterpret_cast<float4*>(p) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
      } else {
#pragma unroll
        for (int q = 0; q < 4; ++q)
          if (column + q < n) p[q] = sum[i][j + q];
      }
    }
  }
}

/// Which tile a block computes: bands of `band` rows of tiles, column by column, so that blocks that run
/// at the same time share rows of A and columns of B in L2.
__device__ __forceinline__ void place_in_bands(int block, int rows, int columns, int band, int& row,
                                               int& column) {
  const int first = block / (band * columns) * band, height = min(band, rows - first);
  const int inside = block - first * columns;
  row = first + inside % height;
  column = inside / height;
}

/// Tile number `block` of the lower triangle: row 0, then row 1 with two tiles, …
__device__ __forceinline__ void place_in_triangle(int block, int& row, int& column) {
  row = static_cast<int>((sqrtf(8.0f * static_cast<float>(block) + 1.0f) - 1.0f) * 0.5f);
  while ((row + 1) * (row + 2) / 2 <= block) ++row;  // what the root's rounding took
  while (row * (row + 1) / 2 > block) --row;
  column = block - row * (row + 1) / 2;
}

/// One block's tile. `band`: see place_in_bands.
template <class T, bool AHEAD>
__device__ __forceinline__ void async_tiles(const Operand& a, const Operand& b, const Results& c, int m,
                                            int n, int k, int band) {
  const int rows = (m + T::BM - 1) / T::BM, columns = (n + T::BN - 1) / T::BN;
  int row, column;
  place_in_bands(blockIdx.x, rows, columns, band, row, column);
  const Place<T> place;
  float sum[T::TM][T::TN] = {};
  multiply_tiles<T, AHEAD>(sum, a, b, row * T::BM, column * T::BN, m, n, 0, k, place);
  if (!add_groups<T>(sum)) return;
  store_tile<T>(sum, c, row * T::BM, column * T::BN, m, n, place);
}

/// Of square matrices that lie row by row.
template <class T, bool AHEAD>
__device__ __forceinline__ void square_tiles(const float* a, const float* b, float* c, int n, int band) {
  async_tiles<T, AHEAD>({a, n}, {b, n}, {c, n, n % 4 == 0}, n, n, n, band);
}

#define ASYNC_TILES(NAME, BLOCKS, AHEAD, ...)                                                 \
  extern "C" __global__ void __launch_bounds__(Tiles<__VA_ARGS__, kChunks>::kThreads, BLOCKS) \
      NAME(const float* a, const float* b, float* c, int n, int band) {                       \
    square_tiles<Tiles<__VA_ARGS__, kChunks>, AHEAD>(a, b, c, n, band);                       \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(Tiles<__VA_ARGS__, kWords>::kThreads, BLOCKS)  \
      NAME##_words(const float* a, const float* b, float* c, int n, int band) {               \
    square_tiles<Tiles<__VA_ARGS__, kWords>, AHEAD>(a, b, c, n, band);                        \
  }
