// Passes of shared stores beside loads of global memory through L1 (ca) or around it, and shared loads with
// and without conflicts.
#include <cstdio>
template <int CA, int LDS>
__global__ void k(const float* g, float* out, int steps, int stride) {
  __shared__ float s[256 * 8];
  float v = 0;
  for (int i = 0; i < steps; ++i) {
    const float* p = g + ((size_t)(blockIdx.x % 528) * steps + i) * 256 + threadIdx.x;
    float x;
    if (CA == 1)
      asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(x) : "l"(p));
    else if (CA == 0)
      asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(x) : "l"(p));
    else
      x = i + v;
    s[threadIdx.x] = x;
    __syncthreads();
    for (int j = 0; j < LDS; ++j) v += s[((threadIdx.x & 31) * stride + j) & 2047];
    __syncthreads();
  }
  if (v == 12345.f) *out = v;
}
template <int CA, int LDS>
void go(const float* g, float* o) {
  for (int blocks : {132, 132 * 8})
    for (int stride : {1, 8}) {
      k<CA, LDS><<<blocks, 256>>>(g, o, 128, stride);
      cudaDeviceSynchronize();
      printf("ca %d lds %d blocks %d stride %d\n", CA, LDS, blocks, stride);
    }
}
int main() {
  float *b, *o;
  cudaMalloc(&b, 256 << 20);
  cudaMemset(b, 0, 256 << 20);
  cudaMalloc(&o, 4);
  go<1, 0>(b, o);
  go<0, 0>(b, o);
  go<1, 8>(b, o);
  go<0, 8>(b, o);
  go<2, 8>(b, o);
  go<1, 32>(b, o);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
