// Products of bfloat16 matrices with few tiles and long sums (kernels/matmul/tensor_cut.h), in two files,
// since the driver compiles all of a file that is used.
#pragma once

#include "kernels/matmul/tensor_cut.h"
#include "kernels_library/cuda/tensor.h"

/// Tiles of 64·GROUPS × N by clusters of PIECES blocks. maps as those of tensor_bfloat16.cu, C in boxes of 16
/// rows.
#define CUT_TO(NAME, OUT, N, STAGES, GROUPS, PIECES)                                                       \
  extern "C" __global__ void __launch_bounds__(128 * GROUPS + 128, 1)                                      \
      NAME(Maps, int m, int n, int k, int band) {                                                          \
    const TensorMap* maps = MAPS_OF(NAME);                                                                 \
    cut_tiles<Cut<Tensor<Bf16, 1, 1, N, STAGES, 1, OUT, GROUPS>, PIECES>>(maps[0], maps[1], maps[2], m, n, \
                                                                          k, band);                        \
  }
#define CUT(NAME, N, STAGES, GROUPS, PIECES)                                         \
  CUT_TO(multiply_to_float32_##NAME##_cut##PIECES, float, N, STAGES, GROUPS, PIECES) \
  CUT_TO(multiply_to_bfloat16_##NAME##_cut##PIECES, AsBf16, N, STAGES, GROUPS, PIECES)
