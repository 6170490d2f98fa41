// How the threads of a block lie on an image: every warp covers `wide` columns and 32 / wide rows of it, and
// the 8 warps of a block lie below one another.
#pragma once

struct Texel {
  int x, y;
};

__device__ inline Texel my_texel(int wide) {
  const int tall = 32 / wide;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  return {static_cast<int>(blockIdx.x) * wide + lane % wide,
          (static_cast<int>(blockIdx.y) * static_cast<int>(blockDim.x / 32) + warp) * tall + lane / wide};
}
