// Box sums at about the price of a copy (kernels/box_sum).
//
// For GPUs from cc 8.0.
#include "kernels/box_sum/block_sums.h"
#include "kernels/box_sum/chunk_sums.h"
#include "kernels/box_sum/small_windows_of_four.h"

#define BLOCK_SUMS(BS, AHEAD)                                              \
  extern "C" __global__ void __launch_bounds__(BS)                         \
      block_sums_##BS##_##AHEAD(Area area, int r, int width, int height) { \
    block_sums<BS, AHEAD>(area, r, width, height);                         \
  }
BLOCK_SUMS(64, 2)
BLOCK_SUMS(256, 2)
BLOCK_SUMS(256, 3)

#define CHUNK_SUMS(BS, BLOCKS)                                   \
  extern "C" __global__ void __launch_bounds__(BS, BLOCKS)       \
      chunk_sums_##BS(Area area, int r, int width, int height) { \
    chunk_sums<BS>(area, r, width, height);                      \
  }
CHUNK_SUMS(512, 2)
CHUNK_SUMS(1024, 1)

EACH_SMALL_WINDOWS(SMALL_WINDOWS_OF_FOUR, SMALL_WINDOWS)
#define NO_WINDOWS(...)
EACH_SMALL_WINDOWS(SMALL_WINDOWS_RAGGED, NO_WINDOWS)
