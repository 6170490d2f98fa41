// Blocks that read tiles in step with others of their row, and compute between: how many of the reads that
// could join do.
#include <cstdio>
#include <cstdlib>
#include <cstring>
extern __shared__ float dyn[];
// A row of `width` blocks reads the same tiles; own: each block a second stream of its own.
template <int OWN, int SYNC>
__global__ void tile(const float* a, float* out, int steps, int width, int work) {
  __shared__ float s[512];
  int t = threadIdx.x;
  const float* p = a + (size_t)(blockIdx.x / width) * steps * 256;
  const float* q = a + (32u << 20) + (size_t)(blockIdx.x % 2112) * 1024;
  float v = 0;
  for (int k = 0; k < steps; ++k) {
    s[t] = __ldcg(p + (size_t)k * 256 + t);
    if (OWN) s[256 + t] = __ldcg(q + (k % 4) * 256 + t);
    if (SYNC)
      __syncthreads();
    else
      __syncwarp();
    for (int i = 0; i < work; ++i) v = v * s[(t & ~31) + ((t + i) & 31)] + s[256 + (i & 15)];
    if (SYNC)
      __syncthreads();
    else
      __syncwarp();
  }
  if (v == 12345.f) *out = v;
}
__global__ void mixed(float* out, int steps, int loads, int sync) {
  __shared__ float s[1024];
  float v = 0;
  for (int k = 0; k < steps; ++k) {
    s[threadIdx.x] = k + v;
    if (sync) __syncthreads();
    for (int i = 0; i < loads; ++i) v += s[(threadIdx.x + i * 32) & 255];
    if (sync) __syncthreads();
  }
  if (v == 12345.f) *out = v;
}
int main(int argc, char** argv) {
  float* buf;
  cudaMalloc(&buf, 512u << 20);
  cudaMemset(buf, 0, 512u << 20);
  float* out;
  cudaMalloc(&out, 4);
  if (!strcmp(argv[1], "tile")) {
    for (int own : {0, 1})
      for (int sync : {0, 1})
        for (int width : {16, 64})
          for (int r : {1, 2, 4, 8})
            for (int work : {4, 16, 64}) {
              auto k = own ? (sync ? tile<1, 1> : tile<1, 0>) : (sync ? tile<0, 1> : tile<0, 0>);
              int smem = r == 8 ? 0 : r == 1 ? 180 << 10 : (220 << 10) / r - 4096;
              cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 180 << 10);
              k<<<132 * r * 2, 256, smem>>>(buf, out, 64, width, work);
              cudaDeviceSynchronize();
              printf("own %d sync %d width %d r %d work %d\n", own, sync, width, r, work);
            }
  } else {
    for (int blocks : {132, 132 * 8})
      for (int threads : {32, 256})
        for (int loads : {0, 1, 4, 16})
          for (int sync : {0, 1}) {
            mixed<<<blocks, threads>>>(out, 256, loads, sync);
            cudaDeviceSynchronize();
            printf("blocks %d threads %d loads %d sync %d\n", blocks, threads, loads, sync);
          }
  }
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
