// The same work, but neighbouring warps go different ways: every warp goes one, with all its lanes.
#include "kernels/simt/diverge.h"

extern "C" __global__ void simt_diverge_between_warps(const float* in, float* out, int ways) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = diverge(in[i], i / 32 % ways, ways);
}
