// Products on tensor cores with few columns: C = A·B, A m × k, B k × n of bf16 elements, n at most 64. They
// are bound by reading A, so each multiprocessor reads an equal share of its rows, as far ahead as shared
// memory reaches, and tiles are as wide as B: zeros that fill a wider one take as long to copy as elements.
//
// A block stays and takes tile after tile of `rows` rows; or the blocks of a cluster have a tile, each a part
// of k, and add up their sums at the end, always in the same order. B lies along k; A along or across.
// Threads store the results.
#pragma once

#include "kernels/matmul/tensor_cut.h"
#include "kernels/matmul/thin_results.h"

/// Tiles of at most 128 × N results in steps of 64·BOXES along k. Of rows a tile has a multiple of 8, at most
/// 64 for one warpgroup or 128 for two; 64 or 128 where A lies across k (ACROSS).
template <int N, int BOXES, bool ACROSS>
struct Narrow {
  static constexpr int kN = N, kBoxes = BOXES, kSums = N / 2;
  static constexpr bool kAcross = ACROSS;
  static constexpr int kThreads = 2 * 128 + 32;  ///< the last warp has tiles copied
  static constexpr int kMostStages = 8;
  static constexpr int kHalf = 64 * 128, kBoxB = N * 128;  ///< bytes: 64 rows of A, all columns of B, 64 k
};
/// How a product is cut: rows of a tile, blocks of a cluster, stages of shared memory.
struct NarrowCut {
  int rows, pieces, stages;
};

/// Where a block has its stages.
struct NarrowStages {
  unsigned first, full, empty;
  int bytes, count;  ///< of a stage, as it lies; stages
  int stage = 0, parity = 0;

  __device__ __forceinline__ void next() {
    if (++stage == count) stage = 0, parity ^= 1;
  }
  __device__ __forceinline__ unsigned here() const { return first + stage * bytes; }
};
/// What a block has of the product.
struct NarrowShare {
  int groups;              ///< warpgroups that multiply
  int first, end;          ///< steps along k
  int tile, tiles, apart;  ///< the first tile, of how many, and from one to the next
};

/// One thread: has all tiles copied.
template <class T>
__device__ __forceinline__ void copy_narrow(const TensorMap& a, const TensorMap& b, NarrowStages at,
                                            const NarrowShare& share, int rows) {
  const int part_a = T::kBoxes * share.groups * T::kHalf, bytes = T::kBoxes * (rows * 128 + T::kBoxB);
  for (int tile = share.tile; tile < share.tiles; tile += share.apart)
    for (int step = share.first; step < share.end; ++step, at.next()) {
      const unsigned arrived = at.full + 8 * at.stage, to = at.here();
      barrier_wait(at.empty + 8 * at.stage, at.parity ^ 1);
      barrier_expect(arrived, bytes);
#pragma unroll
      for (int box = 0; box < T::kBoxes; ++box) {
        const int k = (step * T::kBoxes + box) * 64;
        const unsigned to_a = to + box * share.groups * T::kHalf;
        if constexpr (T::kAcross) {
          for (int half = 0; half < share.groups; ++half)
            copy_box(to_a + half * T::kHalf, a, tile * rows + 64 * half, k, 0, arrived);
        } else {
          copy_box(to_a, a, k, tile * rows, 0, arrived);
        }
        copy_box(to + part_a + box * T::kBoxB, b, k, 0, 0, arrived);
      }
    }
}

/// A warpgroup's 64 rows of a tile. All products are done and all stages free afterwards.
template <class T>
__device__ __forceinline__ void add_narrow(float (&sum)[T::kSums], NarrowStages& at, const NarrowShare& share,
                                           int group) {
  constexpr int kNextA = T::kAcross ? 128 : 2;  // sixteen k further
  const int part_a = T::kBoxes * share.groups * T::kHalf;
  int before = 0;
#pragma unroll 1
  for (int step = share.first; step < share.end; ++step, at.next()) {
    barrier_wait(at.full + 8 * at.stage, at.parity);
    begin_products();
#pragma unroll
    for (int box = 0; box < T::kBoxes; ++box) {
      const unsigned long long a = describe(at.here() + (box * share.groups + group) * T::kHalf,
                                            T::kAcross ? T::kHalf : 16),
                               b = describe(at.here() + part_a + box * T::kBoxB, 16);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        Products<Bf16, 0, T::kAcross>::multiply(sum, a + i * kNextA, b + i * 2,
                                                step > share.first || box > 0 || i > 0);
    }
    end_products();
    wait_for_products<1>();
    if (step > share.first && threadIdx.x % 32 == 0) barrier_arrive(at.empty + 8 * before);
    before = at.stage;
  }
  wait_for_products<0>();
  if (threadIdx.x % 32 == 0) barrier_arrive(at.empty + 8 * before);
}

/// A thread's results in eight columns from 8·eight on.
struct NarrowResults {
  const ThinResults& c;
  int m, n, rows;
  bool pairs;

  __device__ __forceinline__ void store(int tile, int eight, float4 v) const {
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = 8 * eight + threadIdx.x % 4 * 2;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int r = row + 8 * half, at = tile * rows + r;
      const float a = half ? v.z : v.x, b = half ? v.w : v.y;
      if (r >= rows || at >= m) continue;
      if (pairs && column + 1 < n) {
        c.store_pair(at, column, a, b);
      } else {
        if (column < n) c.store(at, column, a);
        if (column + 1 < n) c.store(at, column + 1, b);
      }
    }
  }
};

/// Grid: a block for each multiprocessor or tile, or a cluster of `pieces` for each tile. Dynamic shared
/// memory: the stages, and 1024 bytes to align them.
template <class T>
__device__ __forceinline__ void multiply_narrow(const TensorMap& a, const TensorMap& b, const ThinResults& c,
                                                const NarrowCut& cut, int m, int n, int k) {
  extern __shared__ __align__(16) float shared[];
  __shared__ __align__(8) unsigned long long barriers[2 * T::kMostStages];
  const int rank = rank_in_cluster(), steps = (k + 64 * T::kBoxes - 1) / (64 * T::kBoxes);
  const int pieces = cut.pieces, rows = cut.rows, groups = rows > 64 ? 2 : 1;
  const NarrowShare share{groups,
                          steps * rank / pieces,
                          steps * (rank + 1) / pieces,
                          static_cast<int>(blockIdx.x) / pieces,
                          (m + rows - 1) / rows,
                          static_cast<int>(gridDim.x) / pieces};
  NarrowStages at;
  at.first = (shared_address(shared) + 1023) & ~1023u;
  at.full = shared_address(barriers), at.empty = at.full + 8 * T::kMostStages;
  at.bytes = T::kBoxes * (groups * T::kHalf + T::kBoxB), at.count = cut.stages;
  const int group = threadIdx.x / 128, spare = (64 * groups - rows) * 8;
  if (threadIdx.x == 256) {
    fetch_maps(a, b, b);
    for (int s = 0; s < at.count; ++s) {
      barrier_make(at.full + 8 * s, 1);
      barrier_make(at.empty + 8 * s, 4 * groups);
    }
    barriers_made();
  }
  // Rows of a warpgroup's 64 that nothing is copied to.
  for (int i = threadIdx.x; i < at.count * T::kBoxes * spare; i += T::kThreads) {
    const int box = i / spare;
    const unsigned to = at.first + box / T::kBoxes * at.bytes + box % T::kBoxes * groups * T::kHalf;
    asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(to + rows * 128 + i % spare * 16), "r"(0)
                 : "memory");
  }
  if (spare > 0) show_to_copies();
  __syncthreads();
  wait_for_launch();
  let_next_launch();
  const NarrowResults results{c, m, n, rows, c.in_pairs()};
  // Where a thread has eight columns of sums for the cluster.
  const unsigned sums = at.first + group * (T::kN / 8) * 2048 + threadIdx.x % 128 * 16;
  if (group == 2) {
    if (threadIdx.x == 256) copy_narrow<T>(a, b, at, share, rows);
    __syncwarp();
  } else if (group < groups) {
    for (int tile = share.tile; tile < share.tiles; tile += share.apart) {
      float sum[T::kSums];
      add_narrow<T>(sum, at, share, group);
      if (pieces > 1) wait_for_some(1, 128 * groups);  // nobody reads the stages any more
#pragma unroll
      for (int j = 0; j < T::kN / 8; ++j) {
        const float4 v = {sum[4 * j], sum[4 * j + 1], sum[4 * j + 2], sum[4 * j + 3]};
        if (pieces > 1)
          asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(sums + j * 2048), "f"(v.x), "f"(v.y),
                       "f"(v.z), "f"(v.w)
                       : "memory");
        else
          results.store(tile, j, v);
      }
    }
  }
  if (pieces == 1) return;
  wait_for_cluster();
  if (group < groups)
    for (int j = rank; j < T::kN / 8 && 8 * j < n; j += pieces) {
      float4 sum = {};
      for (int piece = 0; piece < pieces; ++piece) {
        const float4 v = load_four_there(map_to(sums + j * 2048, piece));
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
      }
      results.store(share.tile, j, sum);
    }
  // Nobody leaves while another block still reads its sums.
  wait_for_cluster();
}
