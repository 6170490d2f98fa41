// An array of its own for every thread, whose index is only known at run time: registers have no index, so it lies in local
// memory, which is a piece of global memory, laid out so that lanes that read the same element read neighbouring words.
// `ways`: different elements that the lanes of a warp read at one time.
extern "C" __global__ void spaces_local(const float* in, float* out, int ways, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float mine[16];
#pragma unroll 1
  for (int k = 0; k < 16; ++k) mine[k] = in[i] + static_cast<float>(k);
  float sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) sum += mine[(i % 32 % ways + r) % 16];
  out[i] = sum;
}
