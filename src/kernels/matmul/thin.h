// Products with few columns, C = A·B (m × k by k × n, n at most 16), on CUDA cores at about the pace at which
// A comes from memory: no tile of A goes through shared memory, and warps share k where rows are few.
//
// A warp has some rows and every SLICES-th chunk of its piece of k. A that lies by rows: eight or all lanes
// share a row's k and add up by shuffles; A that lies by columns: a lane has a row. B's elements of a chunk
// come to the warp's own shared memory, or, where all lanes have eight elements of a row, to registers. At
// the end the slices of a block add up there, always in the same order; pieces, which are for further blocks,
// go to memory and are added by another launch (add_thin_pieces).
//
// For GPUs from cc 9.0.
#pragma once

#include "kernels/launch_order.h"
#include "kernels/matmul/thin_results.h"

/// How it is cut. Of the warps of a block `slices` share k (1, 2, 4 or 8). Grid: blocks of rows × pieces.
struct ThinCut {
  int slices, piece;  ///< piece: its k, a multiple of a chunk
  float* partial;     ///< [pieces][m][n], nothing where there is one piece
};
__device__ __forceinline__ float word_as_float(unsigned word) {
  float v;
  asm("mov.b32 %0, %1;" : "=f"(v) : "r"(word));
  return v;
}
__device__ __forceinline__ float wide(float v) { return v; }
__device__ __forceinline__ float wide(unsigned short bits) {
  return word_as_float(static_cast<unsigned>(bits) << 16);
}
/// Four elements that lie at a multiple of their size.
__device__ __forceinline__ void load_four(float (&to)[4], const float* from) {
  const float4 v = *reinterpret_cast<const float4*>(from);
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}
__device__ __forceinline__ void load_four(float (&to)[4], const unsigned short* from) {
  const uint2 v = *reinterpret_cast<const uint2*>(from);
  to[0] = wide(static_cast<unsigned short>(v.x & 0xffff)),
  to[1] = wide(static_cast<unsigned short>(v.x >> 16));
  to[2] = wide(static_cast<unsigned short>(v.y & 0xffff)),
  to[3] = wide(static_cast<unsigned short>(v.y >> 16));
}
template <class IN>
__device__ __forceinline__ void load_four(float (&to)[1], const IN* from) {
  to[0] = wide(*from);
}
/// The elements of 16 bytes: eight of bf16 or four of float32.
__device__ __forceinline__ void widen(float (&to)[8], const uint4& v) {
  const unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (int i = 0; i < 8; ++i)
    to[i] = wide(static_cast<unsigned short>(i % 2 == 0 ? words[i / 2] & 0xffff : words[i / 2] >> 16));
}
__device__ __forceinline__ void widen(float (&to)[4], const uint4& v) {
  to[0] = word_as_float(v.x), to[1] = word_as_float(v.y), to[2] = word_as_float(v.z),
  to[3] = word_as_float(v.w);
}

constexpr int kThinWarps = 8;

/// IN: float or bf16's bits. COLUMNS: of B, at least n. VECTOR: elements of A that a lane loads at a time: 1,
/// or 4 where rows begin at multiples of those; 32: 16 bytes, all lanes of a warp side by side in a row (one
/// column); 0: A lies by columns.
template <class IN, int COLUMNS, int VECTOR>
struct Thin {
  static constexpr bool kByRows = VECTOR > 0;
  static constexpr bool kWholeWarp = VECTOR == 32;
  static constexpr int kEach = 16 / sizeof(IN);  ///< elements of 16 bytes
  static constexpr int kChunk = kWholeWarp ? 64 * kEach : kByRows && COLUMNS < 16 ? 64 : 32;  ///< k
  static constexpr int kLanes = VECTOR == 4 ? 8 : kByRows ? 32 : 1;                           ///< of a row
  static constexpr int kTimes = kByRows ? 4 : 1;      ///< rows of a lane
  static constexpr int kRows = 32 / kLanes * kTimes;  ///< of a warp
  /// Words of B's chunk from a column to the next (A by rows), or from a k to the next.
  static constexpr int kPitch = kByRows ? kChunk + 4 : COLUMNS;
  static constexpr int kWordsB = kWholeWarp ? 0 : kByRows ? COLUMNS * kPitch : kChunk * kPitch;
  static constexpr int kWordsSums = kRows * COLUMNS;
  static constexpr int kWords = kWordsB > kWordsSums ? kWordsB : kWordsSums;  ///< of a warp
};

/// B's elements of a chunk from k0 on, zeros beyond `last` and n.
template <class T, class IN, int COLUMNS>
__device__ __forceinline__ void bring_thin(float* to, const IN* b, ThinSteps steps, int n, int k0, int last) {
  constexpr int kEach = T::kChunk * COLUMNS / 32, kBatch = kEach < 8 ? kEach : 8;
  const bool along_k = steps.row == 1;  // neighbouring lanes read what lies side by side
  __syncwarp();
#pragma unroll
  for (int batch = 0; batch < kEach; batch += kBatch) {
    float v[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int e = 32 * (batch + i) + threadIdx.x % 32;
      const int k = along_k ? e % T::kChunk : e / COLUMNS, j = along_k ? e / T::kChunk : e % COLUMNS;
      v[i] = k0 + k < last && j < n ? wide(b[(k0 + k) * steps.row + j * steps.column]) : 0;
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      const int e = 32 * (batch + i) + threadIdx.x % 32;
      const int k = along_k ? e % T::kChunk : e / COLUMNS, j = along_k ? e / T::kChunk : e % COLUMNS;
      to[T::kByRows ? j * T::kPitch + k : k * T::kPitch + j] = v[i];
    }
  }
  __syncwarp();
}

/// A's elements of a chunk, of one lane. The last chunk's beyond `last` are zeros.
template <class T, class IN, int VECTOR>
__device__ __forceinline__ void load_rows(float (&a)[T::kChunk / T::kLanes / VECTOR][T::kTimes][VECTOR],
                                          const IN* const (&rows)[T::kTimes], int k0, int last) {
  const int along = threadIdx.x % T::kLanes * VECTOR;
  if (k0 + T::kChunk <= last) {
#pragma unroll
    for (int s = 0; s < T::kChunk / T::kLanes / VECTOR; ++s)
#pragma unroll
      for (int t = 0; t < T::kTimes; ++t) load_four(a[s][t], rows[t] + k0 + s * T::kLanes * VECTOR + along);
    return;
  }
#pragma unroll
  for (int s = 0; s < T::kChunk / T::kLanes / VECTOR; ++s)
#pragma unroll
    for (int t = 0; t < T::kTimes; ++t)
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) {
        const int k = k0 + s * T::kLanes * VECTOR + along + v;
        a[s][t][v] = k < last ? wide(rows[t][k]) : 0;
      }
}

/// The sums of a warp whose lanes lie side by side in each row, of B's only column. (So a warp reads 512
/// bytes of a row at a time, where eight lanes for a row of bf16 have 64: memory is faster then.) k is in
/// whole chunks.
template <class T, class IN>
__device__ __forceinline__ void add_whole_warp(float (&sums)[T::kTimes][1],
                                               const IN* const (&rows)[T::kTimes], const IN* b,
                                               long long b_step, int k0, int next, int last) {
  constexpr int kSteps = 2, kStep = 32 * T::kEach;
  const bool side_by_side = b_step == 1 && reinterpret_cast<size_t>(b) % 16 == 0;
#pragma unroll 1
  for (k0 += threadIdx.x % 32 * T::kEach; k0 < last; k0 += next) {
    uint4 of_a[kSteps][T::kTimes];
#pragma unroll
    for (int s = 0; s < kSteps; ++s)
#pragma unroll
      for (int t = 0; t < T::kTimes; ++t)
        of_a[s][t] = *reinterpret_cast<const uint4*>(rows[t] + k0 + kStep * s);
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      const int k = k0 + kStep * s;
      float of_b[T::kEach];
      if (side_by_side) {
        widen(of_b, *reinterpret_cast<const uint4*>(b + k));
      } else {
#pragma unroll
        for (int v = 0; v < T::kEach; ++v) of_b[v] = wide(b[(k + v) * b_step]);
      }
#pragma unroll
      for (int t = 0; t < T::kTimes; ++t) {
        float here[T::kEach];
        widen(here, of_a[s][t]);
#pragma unroll
        for (int v = 0; v < T::kEach; ++v) sums[t][0] = fmaf(here[v], of_b[v], sums[t][0]);
      }
    }
  }
}

/// a_stride: elements from a row, or a column, of A to the next. A block has 256 threads.
template <class IN, int COLUMNS, int VECTOR>
__device__ __forceinline__ void multiply_thin(const IN* a, long long a_stride, const IN* b, ThinSteps of_b,
                                              const ThinResults& c, const ThinCut& cut, int m, int n, int k) {
  using T = Thin<IN, COLUMNS, VECTOR>;
  __shared__ __align__(16) float thin_words[kThinWarps * T::kWords];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, slice = warp % cut.slices;
  const int block_rows = kThinWarps / cut.slices * T::kRows, row0 = blockIdx.x * block_rows;
  const int first = blockIdx.y * cut.piece, last = min(k, first + cut.piece);
  const int begin = row0 + warp / cut.slices * T::kRows + lane / T::kLanes;
  float* const mine = thin_words + warp * T::kWords;
  float sums[T::kTimes][COLUMNS] = {};
  wait_for_launch();
  let_next_launch();
  // Rows beyond the last one are that one; nobody stores them.
  if constexpr (T::kByRows) {
    const IN* rows[T::kTimes];
#pragma unroll
    for (int t = 0; t < T::kTimes; ++t) rows[t] = a + min(begin + t * (32 / T::kLanes), m - 1) * a_stride;
    const int first_chunk = first + slice * T::kChunk, next = cut.slices * T::kChunk;
    if constexpr (T::kWholeWarp) {
      add_whole_warp<T>(sums, rows, b, of_b.row, first_chunk, next, last);
    } else {
      constexpr int kSteps = T::kChunk / T::kLanes / VECTOR;
#pragma unroll 1
      for (int k0 = first_chunk; k0 < last; k0 += next) {
        float of_a[kSteps][T::kTimes][VECTOR];
        load_rows<T, IN, VECTOR>(of_a, rows, k0, last);
        bring_thin<T, IN, COLUMNS>(mine, b, of_b, n, k0, last);
#pragma unroll
        for (int s = 0; s < kSteps; ++s)
#pragma unroll
          for (int j = 0; j < COLUMNS; ++j) {
            float of_b_here[VECTOR];
            load_four(of_b_here, mine + j * T::kPitch + (s * T::kLanes + lane % T::kLanes) * VECTOR);
#pragma unroll
            for (int t = 0; t < T::kTimes; ++t)
#pragma unroll
              for (int v = 0; v < VECTOR; ++v) sums[t][j] = fmaf(of_a[s][t][v], of_b_here[v], sums[t][j]);
          }
      }
    }
#pragma unroll
    for (int t = 0; t < T::kTimes; ++t)
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j)
#pragma unroll
        for (int apart = T::kLanes / 2; apart > 0; apart /= 2)
          sums[t][j] += __shfl_xor_sync(0xffffffff, sums[t][j], apart);
  } else {
    const IN* const row = a + min(begin, m - 1);
#pragma unroll 1
    for (int k0 = first + slice * T::kChunk; k0 < last; k0 += cut.slices * T::kChunk) {
      IN of_a[T::kChunk];
#pragma unroll
      for (int i = 0; i < T::kChunk; ++i) of_a[i] = row[min(k0 + i, last - 1) * a_stride];
      bring_thin<T, IN, COLUMNS>(mine, b, of_b, n, k0, last);
      const int left = last - k0;
      constexpr int kTogether = COLUMNS < 4 ? 4 / COLUMNS : 1;  // k of at least four words of B
#pragma unroll
      for (int i = 0; i < T::kChunk; i += kTogether)
#pragma unroll
        for (int q = 0; q < kTogether * COLUMNS; q += 4) {
          float of_b_here[4];
          load_four(of_b_here, mine + i * T::kPitch + q);
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const int at = i + (q + e) / COLUMNS, j = (q + e) % COLUMNS;
            sums[0][j] = fmaf(at < left ? wide(of_a[at]) : 0, of_b_here[e], sums[0][j]);
          }
        }
    }
  }
  __syncwarp();
  if (lane % T::kLanes == 0)
#pragma unroll
    for (int t = 0; t < T::kTimes; ++t)
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j)
        mine[(lane / T::kLanes + t * (32 / T::kLanes)) * COLUMNS + j] = sums[t][j];
  __syncthreads();
  const int rows = min(block_rows, m - row0);
  const bool along = c.steps.column == 1 || cut.partial;  // neighbouring threads: neighbouring columns
  for (int i = threadIdx.x; i < rows * n; i += 256) {
    const int row = along ? i / n : i % rows, column = along ? i % n : i / rows;
    const float* from =
        thin_words + (row / T::kRows * cut.slices * T::kWords) + row % T::kRows * COLUMNS + column;
    float sum = *from;
    for (int s = 1; s < cut.slices; ++s) sum += from[s * T::kWords];
    if (cut.partial)
      cut.partial[(static_cast<long long>(blockIdx.y) * m + row0 + row) * n + column] = sum;
    else
      c.store(row0 + row, column, sum);
  }
}

/// Adds up the pieces of m·n results (fewer than 2³²), always in the same order. Of a block of 256 threads
/// SHARE have a result together, each of them every SHARE-th piece.
template <int SHARE>
__device__ __forceinline__ void add_thin_pieces(const ThinResults& c, const float* partial, int pieces, int m,
                                                int n) {
  constexpr int kResults = 256 / SHARE;
  const unsigned all = static_cast<unsigned>(m) * n;
  const unsigned mine = threadIdx.x % kResults, at = blockIdx.x * kResults + mine;
  wait_for_launch();
  let_next_launch();
  float sum = 0;
  if (at < all)
#pragma unroll 4
    for (int piece = threadIdx.x / kResults; piece < pieces; piece += SHARE)
      sum += partial[static_cast<size_t>(piece) * all + at];
  if constexpr (SHARE > 1) {
#pragma unroll
    for (int apart = kResults; apart < 32; apart *= 2) sum += __shfl_xor_sync(0xffffffff, sum, apart);
    constexpr int kParts = SHARE < 8 ? SHARE : 8;  // of a result, one for each warp that has some of it
    __shared__ float sums[kParts][kResults];
    if (kResults >= 32 || threadIdx.x % 32 < kResults) sums[threadIdx.x * kParts / 256][mine] = sum;
    __syncthreads();
    if (threadIdx.x < kResults)
#pragma unroll
      for (int i = 1; i < kParts; ++i) sum += sums[i][mine];
  }
  if (threadIdx.x < kResults && at < all) c.store(static_cast<int>(at / n), static_cast<int>(at % n), sum);
}

/// NAME_COLUMNS_VECTOR.
#define MULTIPLY_THIN(NAME, IN, COLUMNS, VECTOR)                                                \
  extern "C" __global__ void __launch_bounds__(256, 2)                                          \
      NAME##_##COLUMNS##_##VECTOR(const IN* a, long long a_stride, const IN* b, ThinSteps of_b, \
                                  ThinResults c, ThinCut cut, int m, int n, int k) {            \
    multiply_thin<IN, COLUMNS, VECTOR>(a, a_stride, b, of_b, c, cut, m, n, k);                  \
  }
#define MULTIPLY_THIN_EACH(NAME, IN, COLUMNS) \
  MULTIPLY_THIN(NAME, IN, COLUMNS, 0)         \
  MULTIPLY_THIN(NAME, IN, COLUMNS, 1)         \
  MULTIPLY_THIN(NAME, IN, COLUMNS, 4)
