// Products on tensor cores: their maps, and what comes after them.
#pragma once

#include "kernels/matmul/karatsuba.h"
#include "kernels/matmul/tensor_parts.h"

/// Maps of A, B and C, the first argument of a kernel.
struct Maps {
  TensorMap of[3];
};
/// They must stay where the launch has put them: the copy engine takes no local copy. (What nvcc calls
/// __grid_constant__, which clang has from version 20 on.)
#define MAPS_OF(kernel)                                                                            \
  ({                                                                                               \
    unsigned long long address;                                                                    \
    asm("{ .reg .b64 p; mov.b64 p, " #kernel "_param_0; cvta.param.u64 %0, p; }" : "=l"(address)); \
    reinterpret_cast<const TensorMap*>(address);                                                   \
  })

/// m × n results of rows of `pitch` to where they belong. Grid: ⌈m·n / 1024⌉ blocks of 256 threads, four
/// results each.
template <class T>
__device__ __forceinline__ void place_results(const T* from, int pitch, T* to, int stride, int m, int n) {
  wait_for_launch();
  const size_t count = static_cast<size_t>(m) * n,
               first = static_cast<size_t>(blockIdx.x) * 1024 + threadIdx.x;
  const bool narrow = count <= 0xffffffff;  // a division of 64 bits takes longer than the rest
  T values[4];
  size_t places[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const size_t at = first + 256 * i;
    if (at >= count) break;
    const size_t row = narrow ? static_cast<unsigned>(at) / static_cast<unsigned>(n) : at / n;
    const size_t column = at - row * n;
    values[i] = from[row * pitch + column];
    places[i] = row * stride + column;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + 256 * i < count) to[places[i]] = values[i];
}

/// Behind a product A·Aᵀ in the order MirroredLater: makes it symmetric to the last bit, as in a tile on the
/// diagonal high · low of an element is low · high of the mirrored one, and their order matters; and adds up
/// pieces, always in the same order. Grid: for each tile on the diagonal kMirrored blocks of 256 threads, one
/// for each of its squares of 32 × 32 on and below the diagonal; then kAdders for each tile that was cut, one
/// for 64 × 16 of it.
constexpr int kMirrored = 10, kAdders = 16;
/// A square of a tile on the diagonal.
__device__ __forceinline__ void mirror_square(float* c, int stride, int n, int first, int square,
                                              float (&values)[64][33]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int down = 0, across = square;
  while (across > down) across -= ++down;
  const int row0 = first + 32 * down, column0 = first + 32 * across;
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    const int row = row0 + warp + i, column = column0 + lane;
    if (row < n && column < row) values[warp + i][lane] = c[static_cast<size_t>(row) * stride + column];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    const int row = column0 + warp + i, column = row0 + lane;
    if (column < n && row < column) c[static_cast<size_t>(row) * stride + column] = values[lane][warp + i];
  }
}
/// The sums of a warpgroup's 64 rows in 16 columns of a tile, which is at (row, column).
template <class T, bool RAISED>
__device__ __forceinline__ void add_pieces(float* c, int stride, int n, int row, int column, bool mirrored,
                                           const LastTiles& last, const Raised& raised, int block,
                                           float (&values)[64][33]) {
  static_assert(T::kM == 128 && T::kN == 128 && kAdders == 16);
  constexpr int kMostPieces = 8;
  const int cut = block / kAdders, group = block % kAdders / 8, part = block % 8;
  const int t = threadIdx.x % 128, half = threadIdx.x / 128;
  const float4* const from = piece_at<T>(last, 2 * cut + group, 0) + (2 * part + half) * 128 + t;
  float4 pieces[kMostPieces];
#pragma unroll
  for (int i = 0; i < kMostPieces; ++i)
    pieces[i] = i < last.pieces ? from[i * (T::kPerStage / 4 * 128)] : make_float4(0, 0, 0, 0);
  float4 sum = pieces[0];
#pragma unroll
  for (int i = 1; i < kMostPieces; ++i)
    sum.x += pieces[i].x, sum.y += pieces[i].y, sum.z += pieces[i].z, sum.w += pieces[i].w;
  const int first = t / 32 * 16 + t % 32 / 4, left = 8 * half + t % 4 * 2;
  values[first][left] = sum.x, values[first][left + 1] = sum.y;
  values[first + 8][left] = sum.z, values[first + 8][left + 1] = sum.w;
  __syncthreads();
  row += 64 * group, column += 16 * part;
  // Each value where it belongs, along rows, and its mirror image, along rows there. On the diagonal what is
  // above it is what lies below.
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const bool image = i >= 4;
    const int at = i % 4 * 256 + threadIdx.x, y = image ? at % 64 : at / 16, x = image ? at / 64 : at % 16;
    if (row + y >= n || column + x >= n || (!mirrored && column + x + image > row + y)) continue;
    float v = values[y][x];
    if (RAISED) v = raise(v, max(-252, -(raised.rows[row + y] + raised.columns[column + x])));
    c[image ? static_cast<size_t>(column + x) * stride + row + y
            : static_cast<size_t>(row + y) * stride + column + x] = v;
  }
}
/// `smalls`: where they fit, a product before this one has been computed, and no tile was cut.
template <class T, bool RAISED>
__device__ __forceinline__ void finish_lower_tiles(float* c, int stride, int n, const MirroredLater<T>& order,
                                                   const LastTiles& last, const Raised& raised,
                                                   const Smalls& smalls) {
  __shared__ float values[64][33];
  const int squares = kMirrored * order.rows, block = blockIdx.x;
  int row = 0, column = 0;
  const bool mirrored =
      block >= squares && order.place(last.whole + (block - squares) / kAdders, row, column);
  wait_for_launch();
  const bool whole = smalls.most && smalls.fit();
  if (block >= squares) {
    if (!whole)
      add_pieces<T, RAISED>(c, stride, n, row, column, mirrored, last, raised, block - squares, values);
  } else if (const int tile = block / kMirrored; whole || order.diagonal + tile < last.whole) {
    mirror_square(c, stride, n, tile * T::kM, block % kMirrored, values);
  }
}
