// C = A·B: matmul/vector_loads with the lanes of a warp arranged 8 × 4 (see register_tiles.h), so that a read
// of shared memory by a warp covers few words, side by side.
#include "kernels/matmul/register_tiles.h"

extern "C" __global__ void __launch_bounds__(256, 2)
    matmul_warp_tiles_256(const float* a, const float* b, float* c, int n) {
  register_tiles<true>(a, b, c, n);
}
