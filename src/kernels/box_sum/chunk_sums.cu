// The box sum for any R up to 143 by sums of 32 windows together (see chunk_sums.h).
#include "kernels/box_sum/chunk_sums.h"

extern "C" __global__ void __launch_bounds__(512, 2)
    box_sum_chunk_sums_512(const float* in, float* out, int n, int r, int width, int height) {
  chunk_sums<512>(square_area(in, out, n, r), r, width, height);
}
extern "C" __global__ void __launch_bounds__(1024, 1)
    box_sum_chunk_sums_1024(const float* in, float* out, int n, int r, int width, int height) {
  chunk_sums<1024>(square_area(in, out, n, r), r, width, height);
}
