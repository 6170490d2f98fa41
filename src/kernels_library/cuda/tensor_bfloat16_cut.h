// Products of bfloat16 matrices with few tiles and long sums (kernels/matmul/tensor_cut.h), for each way in
// which the operands lie in two files, since the driver compiles all of a file that is used.
#pragma once

#include "kernels/matmul/tensor_cut.h"
#include "kernels_library/cuda/tensor.h"

/// Tiles of 64·GROUPS × N by clusters of PIECES blocks, or of PIECES times as many as share operands, so many
/// below each other and side by side. maps as those of tensor_bfloat16.h, C in boxes of 16 rows.
#define CUT_TO(NAME, OUT, N, STAGES, GROUPS, PIECES, BELOW, BESIDE, LIE)                                     \
  extern "C" __global__ void __launch_bounds__(128 * GROUPS + 128, 1)                                        \
      NAME(Maps, int m, int n, int k, int band, void* c, int stride) {                                       \
    const TensorMap* maps = MAPS_OF(NAME);                                                                   \
    using T =                                                                                                \
        Ending<Cut<Tensor<Bf16, 1, 1, N, STAGES, BELOW * BESIDE, OUT, GROUPS, false, BESIDE, LIE>, PIECES>>; \
    cut_tiles<T>(maps[0], maps[1], maps[2], {static_cast<OUT*>(c), stride}, m, n, k, band);                  \
  }
#define CUT(NAME, N, STAGES, GROUPS, PIECES, LIE)                                               \
  CUT_TO(multiply_to_float32_##NAME##_cut##PIECES, float, N, STAGES, GROUPS, PIECES, 1, 1, LIE) \
  CUT_TO(multiply_to_bfloat16_##NAME##_cut##PIECES, AsBf16, N, STAGES, GROUPS, PIECES, 1, 1, LIE)
#define CUT_SHARED(NAME, N, STAGES, PIECES, BELOW, BESIDE, LIE)                                             \
  CUT_TO(multiply_to_float32_##NAME##_cut##PIECES##_##BELOW##x##BESIDE, float, N, STAGES, 2, PIECES, BELOW, \
         BESIDE, LIE)                                                                                       \
  CUT_TO(multiply_to_bfloat16_##NAME##_cut##PIECES##_##BELOW##x##BESIDE, AsBf16, N, STAGES, 2, PIECES,      \
         BELOW, BESIDE, LIE)

#define BFLOAT16_CUT(LIE)         \
  CUT(128x64, 64, 8, 2, 2, LIE)   \
  CUT(128x64, 64, 8, 2, 3, LIE)   \
  CUT(128x64, 64, 8, 2, 4, LIE)   \
  CUT(128x64, 64, 8, 2, 8, LIE)   \
  CUT(128x128, 128, 6, 2, 2, LIE) \
  CUT(128x128, 128, 6, 2, 3, LIE) \
  CUT(128x128, 128, 6, 2, 4, LIE)
#define BFLOAT16_CUT_WIDE(LIE)    \
  CUT(128x192, 192, 4, 2, 2, LIE) \
  CUT(128x192, 192, 4, 2, 3, LIE) \
  CUT(128x192, 192, 4, 2, 4, LIE) \
  CUT(128x256, 256, 4, 2, 2, LIE) \
  CUT(128x256, 256, 4, 2, 3, LIE) \
  CUT(128x256, 256, 4, 2, 4, LIE) \
  CUT(192x192, 192, 3, 3, 2, LIE) \
  CUT(192x192, 192, 3, 3, 3, LIE) \
  CUT(192x192, 192, 3, 3, 4, LIE)
#define BFLOAT16_CUT_BETWEEN(LIE) \
  CUT(128x96, 96, 6, 2, 2, LIE)   \
  CUT(128x96, 96, 6, 2, 3, LIE)   \
  CUT(128x96, 96, 6, 2, 4, LIE)   \
  CUT(192x128, 128, 4, 3, 2, LIE) \
  CUT(128x80, 80, 6, 2, 2, LIE)   \
  CUT(128x160, 160, 4, 2, 2, LIE) \
  CUT(192x64, 64, 5, 3, 4, LIE)
#define BFLOAT16_CUT_SHARED(LIE)            \
  CUT_SHARED(128x64, 64, 8, 2, 2, 2, LIE)   \
  CUT_SHARED(128x64, 64, 8, 4, 1, 2, LIE)   \
  CUT_SHARED(128x128, 128, 6, 2, 2, 1, LIE) \
  CUT_SHARED(128x128, 128, 6, 2, 2, 2, LIE)
