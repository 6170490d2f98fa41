// Float32 products on CUDA cores for all layouts (kernels/matmul/async_tiles.h), whose last tiles are shared
// out.
#pragma once

#include "kernels/matmul/store_rows.h"

/// Who computes what. The first `whole` tiles have a block each. Of the `shared` others each is cut along k
/// into `mains` pieces of `main_steps`, which have a block each, and a tail that is left. Of the tails every
/// further block takes `tails_each`. So all blocks that run side by side, but those few, walk along k in step
/// and share what they read in L2. Pieces and tails go to `partial`: [shared][pieces][BM][BN].
struct Cut {
  int whole, shared, mains, main_steps, tails_each, pieces;
  float* partial;
};

template <class T, bool AHEAD>
__device__ __forceinline__ void product(const Operand& a, const Operand& b, const Results& c, int m, int n,
                                        int k, int band, const Cut& cut) {
  const int rows = (m + T::BM - 1) / T::BM, columns = (n + T::BN - 1) / T::BN;
  const int piece = static_cast<int>(blockIdx.x) - cut.whole;  // negative: a whole tile
  int tile = blockIdx.x, slot = 0, first = 0, last = k, end = tile + 1;
  if (piece >= 0) {
    const int mains = cut.shared * cut.mains;
    slot = piece < mains ? piece / cut.shared : cut.mains;
    tile = piece < mains ? piece % cut.shared : (piece - mains) * cut.tails_each;
    end = piece < mains ? tile + 1 : min(tile + cut.tails_each, cut.shared);
    first = slot * cut.main_steps * T::BK;
    if (slot < cut.mains) last = min(first + cut.main_steps * T::BK, k);
  }
  const Place<T> place;
#pragma unroll 1
  for (;;) {
    int row, column;
    place_in_bands(piece < 0 ? tile : cut.whole + tile, rows, columns, band, row, column);
    float sum[T::TM][T::TN] = {};
    multiply_tiles<T, AHEAD>(sum, a, b, row * T::BM, column * T::BN, m, n, first, last, place);
    const bool has = add_groups<T>(sum);
    if (piece < 0) {
      if (!has) return;
      if (c.chunks)
        store_tile<T>(sum, {c.data, c.stride, true}, row * T::BM, column * T::BN, m, n, place);
      else
        store_rows<T>(sum, c, row * T::BM, column * T::BN, m, n, place);
      return;
    }
    float* partial = cut.partial + (static_cast<size_t>(tile) * cut.pieces + slot) * (T::BM * T::BN);
    if (has) store_tile<T>(sum, {partial, T::BN, true}, 0, 0, T::BM, T::BN, place);
    if (++tile >= end) return;
    wait_for_groups<0>();  // the stages are free: nothing is on its way to them, and nobody reads
    __syncthreads();
  }
}

/// Adds up a tile's pieces, in the order of k. Grid: for each shared tile BM·BN / 1024 blocks of 256 threads.
template <class T>
__device__ __forceinline__ void add_pieces(const Results& c, int m, int n, int band, const Cut& cut) {
  constexpr int kBlocks = T::BM * T::BN / 1024;
  const int rows = (m + T::BM - 1) / T::BM, columns = (n + T::BN - 1) / T::BN;
  const int tile = blockIdx.x / kBlocks, first = blockIdx.x % kBlocks * 1024;  // within the tile
  int row0, column0;
  place_in_bands(cut.whole + tile, rows, columns, band, row0, column0);
  const float* from = cut.partial + static_cast<size_t>(tile) * cut.pieces * (T::BM * T::BN);
  const int i = first + threadIdx.x * 4, row = row0 * T::BM + i / T::BN, column = column0 * T::BN + i % T::BN;
  if (row >= m || column >= n) return;
  float4 sum = *reinterpret_cast<const float4*>(from + i);
#pragma unroll 8
  for (int piece = 1; piece < cut.pieces; ++piece) {
    const float4 v =
        *reinterpret_cast<const float4*>(from + static_cast<size_t>(piece) * (T::BM * T::BN) + i);
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  float* to = c.data + static_cast<size_t>(row) * c.stride + column;
  if (c.chunks) {
    *reinterpret_cast<float4*>(to) = sum;
  } else {
    to[0] = sum.x;
    if (column + 1 < n) to[1] = sum.y;
    if (column + 2 < n) to[2] = sum.z;
    if (column + 3 < n) to[3] = sum.w;
  }
}

/// All tiles whole, and results in chunks. (ptxas orders a loop with less around it better: 2 to 3 %.)
template <class T>
__device__ __forceinline__ void whole_product(const Operand& a, const Operand& b, const Results& c, int m,
                                              int n, int k, int band) {
  async_tiles<T, true>(a, b, {c.data, c.stride, true}, m, n, k, band);
}

/// COLUMNS, SHORT: Tiles' BY_COLUMNS and SHORT.
#define PRODUCT(NAME, A, B, BLOCKS, AHEAD, GROUPS, COLUMNS, SHORT, ...)                                    \
  extern "C" __global__ void __launch_bounds__(Tiles<__VA_ARGS__, B, A, GROUPS, COLUMNS, SHORT>::kThreads, \
                                               BLOCKS)                                                     \
      NAME(Operand a, Operand b, Results c, int m, int n, int k, int band, Cut cut) {                      \
    product<Tiles<__VA_ARGS__, B, A, GROUPS, COLUMNS, SHORT>, AHEAD>(a, b, c, m, n, k, band, cut);         \
  }
/// Of operands that come in chunks, as PRODUCT, and for whole tiles alone. SHORT: of the former.
#define PRODUCTS_OF_CHUNKS(BLOCKS, SHORT, ...)                                                         \
  extern "C" __global__ void __launch_bounds__(Tiles<__VA_ARGS__, kChunks, kChunks>::kThreads, BLOCKS) \
      whole(Operand a, Operand b, Results c, int m, int n, int k, int band, Cut) {                     \
    whole_product<Tiles<__VA_ARGS__, kChunks, kChunks, 1, true, true>>(a, b, c, m, n, k, band);        \
  }                                                                                                    \
  PRODUCT(chunks_chunks, kChunks, kChunks, BLOCKS, true, 1, true, SHORT, __VA_ARGS__)                  \
  ADD_PIECES(__VA_ARGS__)
#define ADD_PIECES(...)                                                                                      \
  extern "C" __global__ void __launch_bounds__(256) add_pieces(Results c, int m, int n, int band, Cut cut) { \
    add_pieces<Tiles<__VA_ARGS__, kWords>>(c, m, n, band, cut);                                              \
  }
/// Named by how A and B travel. COLUMNS: for chunks.
#define PRODUCTS(BLOCKS, AHEAD, GROUPS, COLUMNS, ...)                                               \
  PRODUCT(turned_chunks, kTransposed, kChunks, BLOCKS, AHEAD, GROUPS, false, true, __VA_ARGS__)     \
  PRODUCT(turned_words, kTransposed, kWords, BLOCKS, AHEAD, GROUPS, false, true, __VA_ARGS__)       \
  PRODUCT(turned_turned, kTransposed, kTransposed, BLOCKS, AHEAD, GROUPS, false, true, __VA_ARGS__) \
  PRODUCT(chunks_chunks, kChunks, kChunks, BLOCKS, AHEAD, GROUPS, COLUMNS, true, __VA_ARGS__)       \
  PRODUCT(chunks_words, kChunks, kWords, BLOCKS, AHEAD, GROUPS, false, true, __VA_ARGS__)           \
  PRODUCT(chunks_turned, kChunks, kTransposed, BLOCKS, AHEAD, GROUPS, false, true, __VA_ARGS__)     \
  PRODUCT(words_words, kWords, kWords, BLOCKS, AHEAD, GROUPS, false, true, __VA_ARGS__)             \
  PRODUCT(words_turned, kWords, kTransposed, BLOCKS, AHEAD, GROUPS, false, true, __VA_ARGS__)       \
  ADD_PIECES(__VA_ARGS__)
