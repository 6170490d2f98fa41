// C = A·B: 8 × 8 results per thread, and 16 bytes with every access (see register_tiles.h). A quarter of a
// warp reads 8 × 32 bytes of Bs, of which each read takes every other 16: two lanes meet in a bank.
#include "kernels/matmul/register_tiles.h"

extern "C" __global__ void __launch_bounds__(256, 2)
    matmul_vector_loads_256(const float* a, const float* b, float* c, int n) {
  register_tiles<false>(a, b, c, n);
}
