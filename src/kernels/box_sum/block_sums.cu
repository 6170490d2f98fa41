// The box sum for any R ≥ 2 in float32 at about the price of a copy (see block_sums.h): rows two
// chunks ahead, or three.
//
// For GPUs from cc 8.0.
#include "kernels/box_sum/block_sums.h"

#define BLOCK_SUMS(BS, AHEAD)                                                                               \
  extern "C" __global__ void __launch_bounds__(BS)                                                          \
      box_sum_block_sums_##BS##_##AHEAD(const float* in, float* out, int n, int r, int width, int height) { \
    block_sums<BS, AHEAD>(square_area(in, out, n, r), r, width, height);                                    \
  }
BLOCK_SUMS(64, 2)
BLOCK_SUMS(128, 2)
BLOCK_SUMS(256, 2)
BLOCK_SUMS(256, 3)
