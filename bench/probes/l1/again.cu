// How much of what an SM reads again and again L1 keeps: lines in order, lines in a fixed random order, and
// random lines.
#include <cstdio>
#include <cstdlib>
#define CHECK(e)                             \
  do {                                       \
    cudaError_t r = (e);                     \
    if (r) {                                 \
      printf("%s\n", cudaGetErrorString(r)); \
      exit(1);                               \
    }                                        \
  } while (0)
__device__ float sink;
__global__ void again(const float* base, int lines, int times, int how) {
  const float* p = base + (size_t)blockIdx.x * 32 * 4096;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  float sum = 0;
  unsigned state = warp * 2654435761u + 12345;
  for (int k = 0; k < times; ++k) {
    for (int i = warp; i < lines; i += warps) {
      unsigned line = i;
      if (how == 1) line = (i * 1031u) % lines;
      if (how == 2) {
        state = state * 1664525u + 1013904223u;
        line = (state >> 8) % lines;
      }
      float v;
      asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p + line * 32 + lane));
      sum += v;
    }
    __syncthreads();
  }
  if (sum == 12345.678f) sink = sum;
}
int main() {
  float* b;
  CHECK(cudaMalloc(&b, 132ull * 4096 * 128));
  CHECK(cudaMemset(b, 0, 132ull * 4096 * 128));
  for (int how : {0, 1, 2})
    for (int kib :
         {32, 64, 96, 128, 160, 192, 208, 216, 224, 232, 240, 248, 256, 264, 272, 288, 320, 384, 448}) {
      again<<<132, 1024>>>(b, kib * 8, 16, how);
      CHECK(cudaDeviceSynchronize());
      printf("H %d %d\n", how, kib);
    }
}
