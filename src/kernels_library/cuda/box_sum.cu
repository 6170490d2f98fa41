// Box sums at about the price of a copy (kernels/box_sum).
//
// For GPUs from cc 8.0.
#include "kernels/box_sum/block_sums.h"
#include "kernels/box_sum/running.h"

#define BLOCK_SUMS(BS, AHEAD)                                              \
  extern "C" __global__ void __launch_bounds__(BS)                         \
      block_sums_##BS##_##AHEAD(Area area, int r, int width, int height) { \
    block_sums<BS, AHEAD>(area, r, width, height);                         \
  }
BLOCK_SUMS(64, 2)
BLOCK_SUMS(256, 2)
BLOCK_SUMS(256, 3)

#define RUNNING(BS, BATCH, AHEAD)                                                                          \
  extern "C" __global__ void __launch_bounds__(BS) running_##BS(Area area, int r, int width, int height) { \
    running<BS, BATCH, AHEAD, false>(area, r, width, height);                                              \
  }
RUNNING(128, 4, 2)
RUNNING(512, 1, 4)
