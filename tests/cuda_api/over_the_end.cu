// Vectors that begin inside of an allocation and end behind it: a GPU lets them pass, and what lies inside
// counts. By hand: 7 numbers are two vectors of four.
// expect: no error | 10 11 12 13 14 15 16
#include <cstdio>

__global__ void add_ten(float* out, const float* in, int n) {
  const int i = 4 * threadIdx.x;
  if (i >= n) return;
  float4 v = *reinterpret_cast<const float4*>(in + i);
  v.x += 10, v.y += 10, v.z += 10, v.w += 10;
  *reinterpret_cast<float4*>(out + i) = v;
}

int main() {
  constexpr int kCount = 7;
  float host[kCount] = {0, 1, 2, 3, 4, 5, 6}, *in, *out;
  cudaMalloc(&in, sizeof host), cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  add_ten<<<1, 32>>>(out, in, kCount);
  const cudaError_t ended = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%s |", cudaGetErrorString(ended));
  for (float x : host) printf(" %g", x);
  printf("\n");
}
