// Float32 products on tensor cores with operands in four matrices (karatsuba.h): tiles of 128 × N, 64 rows
// for each of two warpgroups. A stage holds 64 k of one of the four, of both operands. Otherwise as
// tensor_parts.h.
//
// Two sets of sums begin anew every 64 k, since the tensor cores cut off what does not fit below a sum's
// leading bit. The threads add each to the sum of all while the other's products are under way.
#pragma once

#include "kernels/matmul/karatsuba.h"
#include "kernels/matmul/tensor_parts.h"

template <int STAGES, int CLUSTER, int N = 128>
struct Karatsuba : Tensor<F16, 1, 1, N, STAGES, CLUSTER, float, 2, false, 1, ColumnsOfB> {};

/// One thread: has all tiles copied that the block's warpgroups multiply.
template <class T, bool LOWER, class ORDER>
__device__ __forceinline__ void copy_four(const TensorMap& a, const TensorMap& b, const Items<ORDER>& items,
                                          unsigned stages, unsigned full, unsigned empty) {
  constexpr int kLines = T::kN / T::kCluster;  // of B, which each block of a cluster copies into both
  Turn<T::kStages> turn;
  bool backwards = false;
  for (int i = blockIdx.x / T::kCluster; i < items.multiplied; i += gridDim.x / T::kCluster) {
    const Item item = items.item(i);
    const int first = items.order.rank * kLines;
    for (int at = item.first; at < item.end; ++at) {
      const int step = backwards ? item.first + item.end - 1 - at : at;
#pragma unroll 1
      for (int part = 0; part < kKaratsuba; ++part, turn.next()) {
        barrier_wait(empty + 8 * turn.stage, turn.parity ^ 1);
        const unsigned arrived = full + 8 * turn.stage, to = stages + turn.stage * T::kStage;
        barrier_expect(arrived, T::kStage);
        copy_box(to, a, step * T::kK, item.row, part, arrived);
#pragma unroll
        for (int line = 0; line < kLines; line += 64)
          copy_box_where<(T::kCluster > 1)>(to + T::kPartA + (first + line) * 128, b, step * T::kK,
                                            item.column + first + line, part_of_second<LOWER>(part), arrived);
      }
    }
    backwards = !backwards;
  }
}

/// The products of a stage of 16-bit elements, for the warpgroup's 64 rows.
template <class T, int SIGN>
__device__ __forceinline__ void multiply_sixteen(float (&sum)[T::kPerStage], unsigned stage, int group,
                                                 int add) {
  const unsigned long long a = describe(stage + group * 64 * 128, 16), b = describe(stage + T::kPartA, 16);
#pragma unroll
  for (int k = 0; k < 4; ++k) Products<F16, 0, 0, SIGN>::multiply(sum, a + k * 2, b + k * 2, k > 0 ? 1 : add);
}
/// Of 8-bit ones: upper parts of A by low ones of B, and the other way round.
template <class T>
__device__ __forceinline__ void multiply_eight(float (&sum)[T::kPerStage], unsigned stage, int group) {
  const unsigned long long a = describe(stage + group * 64 * 128, 16), b = describe(stage + T::kPartA, 16);
  Products8<E4m3, E5m2>::multiply(sum, a, b, 0);
  Products8<E4m3, E5m2>::multiply(sum, a + 2, b + 2, 1);
  Products8<E5m2, E4m3>::multiply(sum, a + 4, b + 4, 1);
  Products8<E5m2, E4m3>::multiply(sum, a + 6, b + 6, 1);
}
template <int SUMS>
__device__ __forceinline__ void add_scaled(float (&sum)[SUMS], const float (&more)[SUMS], float scale) {
#pragma unroll
  for (int i = 0; i < SUMS; ++i) sum[i] = fmaf(more[i], scale, sum[i]);
}

/// One of the two warpgroups that multiply.
template <class T, bool LOWER, bool CUT, class ORDER>
__device__ __forceinline__ void multiply_four(const TensorMap& c, const Items<ORDER>& items, unsigned stages,
                                              unsigned boxes, unsigned full, unsigned empty, int group, int m,
                                              int n, const Raised& raised, int* is_last) {
  Turn<T::kStages> turn;
  const auto next_stage = [&] {
    barrier_wait(full + 8 * turn.stage, turn.parity);
    begin_products();
    return stages + turn.stage * T::kStage;
  };
  int before = 0;  // the stage of the last products, which are still under way
  const auto under_way = [&] {
    end_products();
    before = turn.stage;
    turn.next();
  };
  const auto release_before_last = [&](int stage) {
    wait_for_products<1>();
    release<T>(empty, stage);
  };
  for (int i = blockIdx.x / T::kCluster; i < items.count; i += gridDim.x / T::kCluster) {
    const Item item = items.item(i);
    const int row = item.row + group * 64, column = item.column;
    float sum[T::kPerStage] = {}, upper[T::kPerStage], low[T::kPerStage];
#pragma unroll 1
    for (int step = item.first; step < item.end; ++step) {
      unsigned stage = next_stage();
      multiply_eight<T>(low, stage, group);  // first: these cut off a sum to some 14 bits
      under_way();
      stage = next_stage();
      int done = before;
      multiply_sixteen<T, -1>(upper, stage, group, 0);  // before the large ones, which cut off more
      under_way();
      release_before_last(done);
      stage = next_stage();
      done = before;
      multiply_sixteen<T, 1>(upper, stage, group, 1);
      under_way();
      release_before_last(done);
      stage = next_stage();
      done = before;
      multiply_sixteen<T, 1>(low, stage, group, 1);
      under_way();
      release_before_last(done);
      add_scaled(sum, upper, kUpperScale);
      wait_for_products<0>();
      release<T>(empty, before);
      add_scaled(sum, low, kLowScale);
    }
    if constexpr (CUT) {
      if (item.cut >= 0 &&
          !add_last_tiles<T>(sum, items.last, items.adders, item, items.order.rank, group, is_last))
        continue;
    }
    if (LOWER && column > item.row) continue;  // of a pair on the diagonal: the mirrored tile is stored there
    take_off<T>(sum, row, column, m, n, raised);
    store_sums<T, false>(sum, c, boxes, row, column, m, n, group, {});
    if (LOWER && column < item.row) store_turned<T>(sum, c, boxes, row, column, group);
  }
}

/// Grid: a multiple of the cluster, at most one block for each multiprocessor and tile. LOWER: A·Aᵀ, where C
/// is symmetric; b is then made of the last four matrices of A's parts. CUT: some items may be pieces.
template <class T, bool LOWER, bool CUT = true, class ORDER>
__device__ __forceinline__ void karatsuba_tiles(const TensorMap& a, const TensorMap& b, const TensorMap& c,
                                                int m, int n, const Items<ORDER>& items, const Raised& raised,
                                                const Smalls& smalls) {
  __shared__ int is_last[2];
  const auto [stages, boxes, full, empty] = make_stages<T>();
  if (threadIdx.x == 256) fetch_maps(a, b, c);
  wait_for_launch();
  if (!smalls.fit()) return;            // all blocks
  const int group = threadIdx.x / 128;  // 2: has tiles copied
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x == 256) {
      copy_four<T, LOWER>(a, b, items, stages, full, empty);
      let_next_launch();
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    multiply_four<T, LOWER, CUT>(c, items, stages, boxes + group * 2 * T::kBox, full, empty, group, m, n,
                                 raised, is_last);
    if (threadIdx.x % 128 == 0) wait_for_stores<0>();
  }
  if (T::kCluster > 1) wait_for_cluster();
}
