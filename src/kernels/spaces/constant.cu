// Constant memory: a table that all threads read, at `ways` different places in a warp. The constant cache delivers one word
// to all lanes that want it, and another word in another pass.

// 37·i mod 101, so that every wrong index shows; 128 of them.
#define WW_ONE(i) static_cast<float>(37 * (i) % 101)
#define WW_EIGHT(i) WW_ONE(i), WW_ONE(i + 1), WW_ONE(i + 2), WW_ONE(i + 3), WW_ONE(i + 4), WW_ONE(i + 5), WW_ONE(i + 6), WW_ONE(i + 7)
#define WW_32(i) WW_EIGHT(i), WW_EIGHT(i + 8), WW_EIGHT(i + 16), WW_EIGHT(i + 24)
__constant__ float table[128] = {WW_32(0), WW_32(32), WW_32(64), WW_32(96)};

extern "C" __global__ void spaces_constant(float* out, int ways, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) sum += table[i % 32 % ways + r];
  out[i] = sum;
}
