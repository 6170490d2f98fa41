#include <cuda_runtime.h>
#include <cstdio>
__global__ void bar(long long* o, int loops) {
  __syncthreads();
  long long s = clock64();
  for (int i = 0; i < loops; ++i) {
#pragma unroll
    for (int k = 0; k < 16; ++k) asm volatile("bar.sync 0;" ::: "memory");
  }
  long long e = clock64();
  if (threadIdx.x == 0) o[blockIdx.x] = e - s;
}
__global__ void tree(long long* o, float* out, int loops) {
  __shared__ float v[1024];
  int t = threadIdx.x;
  v[t] = t;
  __syncthreads();
  long long s = clock64();
  for (int i = 0; i < loops; ++i) {
    for (int h = blockDim.x / 2; h > 0; h /= 2) {
      if (t < h) v[t] += v[t + h];
      __syncthreads();
    }
  }
  long long e = clock64();
  if (t == 0) {
    o[blockIdx.x] = e - s;
    out[0] = v[0];
  }
}
__global__ void empty() {}
__global__ void loadonly(const float* in, float* out) {
  float x = in[blockIdx.x * 256u + threadIdx.x];
  if (x == 123.f) out[0] = x;
}
__global__ void treeonly(float* out) {
  __shared__ float v[256];
  int t = threadIdx.x;
  v[t] = t;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (t < h) v[t] += v[t + h];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = v[0];
}
__global__ void both(const float* in, float* out) {
  __shared__ float v[256];
  int t = threadIdx.x;
  v[t] = in[blockIdx.x * 256u + t];
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (t < h) v[t] += v[t + h];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = v[0];
}
__global__ void both_atomic(const float* in, float* out) {
  __shared__ float v[256];
  int t = threadIdx.x;
  v[t] = in[blockIdx.x * 256u + t];
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (t < h) v[t] += v[t + h];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, v[0]);
}
int main() {
  long long *o, c;
  float* f;
  cudaMalloc(&o, 8 << 20);
  cudaMalloc(&f, 8 << 20);
  for (int th : {32, 64, 128, 256, 512, 1024}) {
    bar<<<1, th>>>(o, 64);
    cudaMemcpy(&c, o, 8, cudaMemcpyDeviceToHost);
    bar<<<1, th>>>(o, 64);
    cudaMemcpy(&c, o, 8, cudaMemcpyDeviceToHost);
    printf("bar %d threads: %.1f clk\n", th, c / 1024.0);
    tree<<<1, th>>>(o, f, 64);
    cudaMemcpy(&c, o, 8, cudaMemcpyDeviceToHost);
    tree<<<1, th>>>(o, f, 64);
    cudaMemcpy(&c, o, 8, cudaMemcpyDeviceToHost);
    printf("tree %d threads: %.1f clk per tree\n", th, c / 64.0);
  }
  for (int per : {2, 4, 8}) {
    bar<<<132 * per, 256>>>(o, 64);
    cudaMemcpy(&c, o, 8, cudaMemcpyDeviceToHost);
    printf("bar 256 threads, %d blocks/SM: %.1f clk\n", per, c / 1024.0);
    tree<<<132 * per, 256>>>(o, f, 64);
    cudaMemcpy(&c, o, 8, cudaMemcpyDeviceToHost);
    printf("tree 256 threads, %d blocks/SM: %.1f clk\n", per, c / 64.0);
  }
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  float ms;
  const unsigned N = 1u << 20;
  float* in;
  cudaMalloc(&in, (size_t)N * 1024);
  cudaMemset(in, 0, (size_t)N * 1024);
  auto t = [&](const char* n, auto k) {
    float best = 1e9;
    for (int r = 0; r < 6; ++r) {
      cudaEventRecord(a);
      k();
      cudaEventRecord(b);
      cudaEventSynchronize(b);
      cudaEventElapsedTime(&ms, a, b);
      best = ms < best ? ms : best;
    }
    printf("%s: %.4f ms, %.1f clk per block per SM\n", n, best, best * 1e-3 * 1.98e9 * 132 / N);
  };
  for (int th : {32, 64, 128, 256, 512, 1024}) {
    char s[64];
    sprintf(s, "empty %d", th);
    t(s, [&] { empty<<<N, th>>>(); });
  }
  t("load only", [&] { loadonly<<<N, 256>>>(in, f); });
  t("tree only", [&] { treeonly<<<N, 256>>>(f); });
  t("both", [&] { both<<<N, 256>>>(in, f); });
  t("both atomic", [&] { both_atomic<<<N, 256>>>(in, f); });
}
