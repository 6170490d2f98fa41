// Float32 products in tiles of 128 × 128, 8 × 16 results a thread, with A laid and B by rows that begin at
// any word (kernels/matmul/async_tiles.h, hulls).
#pragma once

#include "kernels_library/cuda/float32.h"

/// Named by the words that B's rows lie apart beyond a multiple of four. BEGIN: what every thread does first.
#define OF_HULLS(WORDS, BEGIN)                                                                           \
  extern "C" __global__ void __launch_bounds__(128, 2)                                                   \
      chunks_hulls##WORDS(Operand a, Operand b, Results c, int m, int n, int k, int band, Cut cut) {     \
    BEGIN;                                                                                               \
    product<Tiles<16, 8, 16, 8, 2, 2, 4, kHulls##WORDS, kChunks, 1, true, true>, true>(a, b, c, m, n, k, \
                                                                                       band, cut);       \
  }
/// Whole tiles only.
#define PRODUCTS_OF_HULLS(BEGIN) \
  OF_HULLS(1, BEGIN)             \
  OF_HULLS(2, BEGIN)             \
  OF_HULLS(3, BEGIN)
