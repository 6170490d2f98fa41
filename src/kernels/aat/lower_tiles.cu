// C = A·Aᵀ with only the tiles on and below the diagonal computed (see lower_tiles.h). Any n.
// For GPUs from cc 8.0.
#include "kernels/aat/lower_tiles.h"

extern "C" __global__ void __launch_bounds__(128, 2) aat_lower_tiles_128(const float* a, float* c, int n) {
  lower_tiles<Tiles<8, 8, 16, 8, 2, 2, 4, kTransposed>>({a, n}, {c, n, n % 4 == 0}, n, n);
}
