// Plain products on tensor cores with few tiles and long sums: the blocks of a cluster compute the same tile,
// each a part of k. Their sums meet in shared memory: each block adds up its share of the tile's boxes,
// always in the same order, and stores them. Otherwise as tensor_tiles.h.
#pragma once

#include "kernels/matmul/tensor_tiles.h"

/// Tiles of a Tensor, each for PIECES blocks. Of a cluster each so many blocks as share operands have the
/// same piece of k.
template <class T, int PIECES>
struct Cut : T {
  static constexpr int kPieces = PIECES;
  static_assert(T::kParts == 1 && !T::kInTurns);
  static_assert(T::kM * T::kN * 4 <= T::kStages * T::kStage, "room for the sums");
};

/// Four words of shared memory, and of the shared memory of another block of the cluster, whose addresses are
/// `map_to`'s.
#define LOAD_FOUR(NAME, SPACE)                                 \
  __device__ __forceinline__ float4 NAME(unsigned address) {   \
    float4 v;                                                  \
    asm volatile("ld." SPACE ".v4.f32 {%0, %1, %2, %3}, [%4];" \
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)  \
                 : "r"(address)                                \
                 : "memory");                                  \
    return v;                                                  \
  }
LOAD_FOUR(load_four, "shared")
LOAD_FOUR(load_four_there, "shared::cluster")
#undef LOAD_FOUR
__device__ __forceinline__ unsigned map_to(unsigned address, int rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

/// A warpgroup's sums to shared memory, four of a thread side by side.
template <class T>
__device__ __forceinline__ void keep_sums(const float (&sum)[T::kDown][T::kPerStage], unsigned sums,
                                          int group) {
#pragma unroll
  for (int down = 0; down < T::kDown; ++down) {
#pragma unroll
    for (int i = 0; i < T::kPerStage / 4; ++i) {
      const int four = (group * T::kDown + down) * (T::kPerStage / 4) + i;
      const float* v = &sum[down][4 * i];
      asm volatile(
          "st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(sums + four * 2048 + threadIdx.x % 128 * 16),
          "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3])
          : "memory");
    }
  }
}

/// Of the boxes of 16 rows of a tile every one whose turn it is: a warp adds up what the blocks have, and has
/// it stored, or stores what is a moved tile's own.
template <class T>
__device__ __forceinline__ void add_and_store(const TensorMap& c, const Written<typename T::Out>& written,
                                              unsigned sums, unsigned boxes, const Spot& at, int m, int n,
                                              int own, int sharing) {
  constexpr int kBoxes = (T::kN + T::kBoxColumns - 1) / T::kBoxColumns, kEights = T::kBoxColumns / 8,
                kBox = T::kBox / 4;
  // Of the last box, of which threads store what there is, if it is not whole.
  constexpr int kLastEights = T::kN % T::kBoxColumns / 8;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, r = lane / 4, pair = lane % 4 * 2;
  const bool crossed = sizeof(typename T::Out) == 4 && r % 2 == 1;  // as store_sums
  int turn = 0;
  for (int i = warp * T::kPieces + own; i < T::kM / 16 * kBoxes;
       i += 4 * T::kGroups * T::kPieces, turn ^= 1) {
    const int rows = i / kBoxes, box = i % kBoxes;
    const unsigned to = boxes + (warp * 2 + turn) * kBox;
    const unsigned from =
        sums + (rows / 4 * (T::kPerStage / 4) + box * kEights) * 2048 + (rows % 4 * 32 + lane) * 16;
    if (at.row + rows * 16 + 15 < at.own_row) continue;
    if (lane == 0) wait_for_stores<1>();
    __syncwarp();
    const bool last = kLastEights > 0 && box == kBoxes - 1;
    float4 sum[kEights] = {};
#pragma unroll
    for (int piece = 0; piece < T::kPieces; ++piece) {
      const unsigned there = map_to(from, piece * T::kCluster + sharing);
#pragma unroll
      for (int j = 0; j < kEights; ++j) {
        if (kLastEights > 0 && j >= kLastEights && last) break;
        const float4 v = piece == own ? load_four(from + j * 2048) : load_four_there(there + j * 2048);
        sum[j].x += v.x, sum[j].y += v.y, sum[j].z += v.z, sum[j].w += v.w;
      }
    }
    if (at.moved() || last) {
      const int y = at.row + rows * 16 + r, x = at.column + box * T::kBoxColumns;
#pragma unroll
      for (int j = 0; j < kEights; j += 2) {
        if (kLastEights > 0 && j >= kLastEights && last) break;
        const float4 one = sum[j], other = sum[j + 1];
        write_sixteen(written, at, y, x + 8 * j, {one.x, one.y}, {other.x, other.y}, m, n);
        write_sixteen(written, at, y + 8, x + 8 * j, {one.z, one.w}, {other.z, other.w}, m, n);
      }
      continue;
    }
#pragma unroll
    for (int j = 0; j < kEights; ++j) {
      const int eight = crossed ? j ^ 2 : j;
      const float4 v = crossed ? sum[j ^ 2] : sum[j];
      put_pair(to, r, eight * 8 + pair, v.x, v.y, typename T::Out{});
      put_pair(to, r + 8, eight * 8 + pair, v.z, v.w, typename T::Out{});
    }
    show_to_copies();
    __syncwarp();
    if (lane == 0) store_box(c, at.column + box * T::kBoxColumns, at.row + rows * 16, to);
  }
}

/// Clusters of kPieces · kCluster blocks, one for each tile or for those that share. c: in boxes of 16 rows.
template <class T>
__device__ __forceinline__ void cut_tiles(const TensorMap& a, const TensorMap& b, const TensorMap& c,
                                          const Written<typename T::Out>& written, int m, int n, int k,
                                          int band) {
  const Lines<T> lines(m, n);
  const auto [stages, boxes, full, empty] = make_stages<T>();
  lines.clear_others(stages);
  const Order<T> order(m, n, k, band);
  const int rank = rank_in_cluster(), piece = rank / T::kCluster;
  const int first = order.k_steps * piece / T::kPieces, end = order.k_steps * (piece + 1) / T::kPieces;
  const Spot at = order.spot(blockIdx.x / (T::kPieces * T::kCluster));
  if (threadIdx.x == 128 * T::kGroups) fetch_maps(a, b, c);
  wait_for_launch();
  const int group = threadIdx.x / 128;  // the last: has tiles copied
  if (group == T::kGroups) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(T::kToCopy));
    if (threadIdx.x == 128 * T::kGroups) {
      const Sharing<T> sharing(rank);
      Turn<T::kStages> turn;
      for (int step = first; step < end; ++step, turn.next())
        copy_step<T>(a, b, at.row, at.column, step, sharing, turn, stages, full, empty, lines.copied());
      let_next_launch();
    }
    __syncwarp();
    wait_for_cluster();
    arrive_at_cluster();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(T::kToMultiply));
    if (first < end) {
      Turn<T::kStages> turn;
      float sum[T::kDown][T::kPerStage];
      multiply_steps<T>(sum, turn, end - first, stages, full, empty, group * T::kDown * 64);
      wait_for_products<0>();
      wait_for_some(1, 128 * T::kGroups);  // nobody reads the stages any more
      keep_sums<T>(sum, stages, group);
    } else {  // fewer steps than blocks; zeros in the products' registers would let these wait for one
              // another
      const float none[T::kDown][T::kPerStage] = {};
      keep_sums<T>(none, stages, group);
    }
    wait_for_cluster();
    add_and_store<T>(c, written, stages, boxes, at, m, n, piece, rank % T::kCluster);
    arrive_at_cluster();
    if (threadIdx.x % 32 == 0) wait_for_stores<0>();
    __syncwarp();
  }
  // Nobody leaves while another block still reads its sums.
  wait_for_cluster_arrivals();
}
