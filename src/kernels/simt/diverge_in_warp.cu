// Neighbouring lanes go different ways: every warp goes all of them, with part of its lanes each time.
#include "kernels/simt/diverge.h"

extern "C" __global__ void simt_diverge_in_warp(const float* in, float* out, int ways) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = diverge(in[i], i % ways, ways);
}
