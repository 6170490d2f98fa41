// A kernel with constant memory; what it computes can be checked by hand.
#include <cstdio>

__constant__ float offset[4];

__global__ void saxpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i] + offset[0];
}

int main() {
  const int n = 1000;
  const size_t bytes = n * sizeof(float);
  static float host[n];
  for (int i = 0; i < n; i++) host[i] = float(i);
  float *x = nullptr, *y = nullptr, one[4] = {1};
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMemcpy(x, host, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(y, host, bytes, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(offset, one, sizeof one);
  saxpy<<<(n + 255) / 256, 256>>>(y, x, 2.0f, n);
  cudaError_t error = cudaGetLastError();
  cudaMemcpy(host, y, bytes, cudaMemcpyDeviceToHost);
  std::printf("%g %g %g %s\n", host[0], host[1], host[999], cudaGetErrorString(error));
  return error != cudaSuccess;
}
