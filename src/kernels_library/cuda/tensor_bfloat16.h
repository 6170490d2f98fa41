// The tiles of bfloat16 products (kernels/matmul/tensor_tiles.h), for each way in which the operands lie a
// file: the driver compiles all of a file that is used.
#pragma once

#include "kernels_library/cuda/tensor.h"

/// Of a Tensor<…>. maps: what lies along k in boxes of 64 × the tile's rows or columns, what lies across k in
/// boxes of 64 × 64, where a cluster shares it of a part of the lines; C of 32 × 64 float32 or 64 × 64
/// bfloat16. c: the same for threads.
#define MULTIPLY(NAME, GROUPS, ...)                                                                   \
  extern "C" __global__ void __launch_bounds__(128 * GROUPS + 128, 1)                                 \
      NAME(Maps, int m, int n, int k, int band, void* c, int stride) {                                \
    const TensorMap* maps = MAPS_OF(NAME);                                                            \
    using T = Ending<Tensor<__VA_ARGS__>>;                                                            \
    tensor_tiles<T>(maps[0], maps[1], maps[2], m, n, k, band, {}, {static_cast<T::Out*>(c), stride}); \
  }
/// Tiles of 64·GROUPS × N, by clusters of CLUSTER blocks.
#define TO_FLOAT32(NAME, N, STAGES, GROUPS, CLUSTER, LIE) \
  MULTIPLY(multiply_to_float32_##NAME, GROUPS, Bf16, 1, 1, N, STAGES, CLUSTER, float, GROUPS, false, 1, LIE)
#define TO_BOTH(NAME, N, STAGES, GROUPS, CLUSTER, LIE) \
  TO_FLOAT32(NAME, N, STAGES, GROUPS, CLUSTER, LIE)    \
  MULTIPLY(multiply_to_bfloat16_##NAME, GROUPS, Bf16, 1, 1, N, STAGES, CLUSTER, AsBf16, GROUPS, false, 1, LIE)
/// Tiles of 256 × N, by clusters of two blocks side by side.
#define BESIDE(NAME, N, STAGES, LIE)                                                                  \
  MULTIPLY(multiply_to_float32_##NAME##_beside, 2, Bf16, 1, 2, N, STAGES, 2, float, 2, false, 2, LIE) \
  MULTIPLY(multiply_to_bfloat16_##NAME##_beside, 2, Bf16, 1, 2, N, STAGES, 2, AsBf16, 2, false, 2, LIE)
/// Tiles of 64·DOWN × N, for two warpgroups in turns.
#define IN_TURNS(NAME, DOWN, N, STAGES, LIE)                                                           \
  MULTIPLY(multiply_to_float32_##NAME##_turns, 2, Bf16, 1, DOWN, N, STAGES, 1, float, 2, true, 1, LIE) \
  MULTIPLY(multiply_to_bfloat16_##NAME##_turns, 2, Bf16, 1, DOWN, N, STAGES, 1, AsBf16, 2, true, 1, LIE)

/// Tiles of 64·DOWN × N, or of twice as many rows where two warpgroups do not take turns, by clusters of
/// blocks that share operands, so many below each other and side by side.
#define SHARED(NAME, DOWN, N, STAGES, TURNS, BELOW, BESIDE, LIE)                                         \
  MULTIPLY(multiply_to_float32_##NAME##_##BELOW##x##BESIDE, 2, Bf16, 1, DOWN, N, STAGES, BELOW* BESIDE,  \
           float, 2, TURNS, BESIDE, LIE)                                                                 \
  MULTIPLY(multiply_to_bfloat16_##NAME##_##BELOW##x##BESIDE, 2, Bf16, 1, DOWN, N, STAGES, BELOW* BESIDE, \
           AsBf16, 2, TURNS, BESIDE, LIE)

// Of the last one with bfloat16 results half a box would remain.
#define BFLOAT16_TILES(LIE)                \
  TO_BOTH(128x256, 256, 4, 2, 1, LIE)      \
  TO_BOTH(128x128, 128, 6, 2, 1, LIE)      \
  TO_BOTH(128x64, 64, 8, 2, 1, LIE)        \
  BESIDE(256x128, 128, 4, LIE)             \
  BESIDE(256x192, 192, 3, LIE)             \
  TO_BOTH(192x192_pair, 192, 3, 3, 2, LIE) \
  IN_TURNS(128x128, 2, 128, 6, LIE)        \
  IN_TURNS(128x192, 2, 192, 4, LIE)        \
  TO_FLOAT32(128x224_pair, 224, 4, 2, 2, LIE)

// Between these, in files of their own.
#define BFLOAT16_BETWEEN(LIE)         \
  TO_BOTH(128x96, 96, 6, 2, 1, LIE)   \
  TO_BOTH(192x128, 128, 4, 3, 1, LIE) \
  IN_TURNS(128x160, 2, 160, 4, LIE)   \
  IN_TURNS(128x176, 2, 176, 4, LIE)   \
  IN_TURNS(64x128, 1, 128, 8, LIE)    \
  IN_TURNS(64x192, 1, 192, 6, LIE)    \
  IN_TURNS(128x112, 2, 112, 6, LIE)   \
  IN_TURNS(128x144, 2, 144, 4, LIE)

// By clusters that share operands, in files of their own.
#define BFLOAT16_SHARED(LIE)                        \
  SHARED(128x64, 1, 64, 8, false, 1, 2, LIE)        \
  SHARED(128x64, 1, 64, 8, false, 1, 4, LIE)        \
  SHARED(128x96, 1, 96, 6, false, 2, 4, LIE)        \
  SHARED(64x96_turns, 1, 96, 8, true, 2, 2, LIE)    \
  SHARED(128x128_turns, 2, 128, 6, true, 2, 1, LIE) \
  SHARED(128x128_turns, 2, 128, 6, true, 2, 2, LIE) \
  SHARED(128x192_turns, 2, 192, 4, true, 2, 1, LIE)
