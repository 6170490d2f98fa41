// What a block costs beside its work: one or several blocks at a time on each SM, each loads once and stores.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(e)                                     \
  do {                                               \
    cudaError_t r = (e);                             \
    if (r) {                                         \
      printf("%s: %s\n", #e, cudaGetErrorString(r)); \
      exit(1);                                       \
    }                                                \
  } while (0)
extern __shared__ float s[];
__global__ void empty() {}
__global__ void clocks(long long* out) {
  long long t0 = clock64();
  if (threadIdx.x == 0) out[blockIdx.x] = t0;
}
__global__ void load(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
__global__ void chain(const float* in, float* out, int zero) {
  int i = threadIdx.x + blockIdx.x % 132 * 1024;
  float v = in[i];
  for (int k = 0; k < 8; ++k) v = in[i + (__float_as_int(v) & zero)];
  out[i] = v;
}
int main() {
  float *in, *out;
  CHECK(cudaMalloc(&in, 1u << 30));
  CHECK(cudaMalloc(&out, 1u << 30));
  CHECK(cudaMemset(in, 0, 1u << 30));
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  auto time = [&](auto launch) {
    launch();
    std::vector<float> t;
    for (int k = 0; k < 7; ++k) {
      cudaEventRecord(a);
      launch();
      cudaEventRecord(b);
      CHECK(cudaEventSynchronize(b));
      float ms;
      cudaEventElapsedTime(&ms, a, b);
      t.push_back(ms);
    }
    std::sort(t.begin(), t.end());
    return t[3];
  };
  CHECK(cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10));
  CHECK(cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10));
  CHECK(cudaFuncSetAttribute(chain, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10));
  printf("what,threads,blocks_per_sm,clocks\n");
  for (int per : {1, 2, 4}) {
    int shared = (per == 1 ? 200 : per == 2 ? 110 : 55) << 10;
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
      if (per * threads > 2048) continue;
      const int n = 132 * 400;
      auto report = [&](const char* what, float ms) {
        printf("%s,%d,%d,%.1f\n", what, threads, per, ms * 1.98e6 / 400);
      };
      report("empty", time([&] { empty<<<n, threads, shared>>>(); }));
      report("load from DRAM", time([&] { load<<<n, threads, shared>>>(in, out); }));
      report("chain of 9 loads from L1", time([&] { chain<<<n, threads, shared>>>(in, out, 0); }));
    }
  }
  for (int threads : {32, 256, 1024}) {
    const int n = 132 * 400;
    printf("empty without shared,%d,many,%.1f\n", threads,
           time([&] { empty<<<n, threads>>>(); }) * 1.98e6 / 400);
    printf("chain without shared,%d,many,%.1f\n", threads,
           time([&] { chain<<<n, threads>>>(in, out, 0); }) * 1.98e6 / 400);
  }
  CHECK(cudaGetLastError());
}
