// Calls and instructions of each kind that `run --fidelity` tells apart.
#include <cstdio>

__global__ void exact(int* p) { p[threadIdx.x] += 3; }
__global__ void approximated(float* p, float* sum) {
  p[threadIdx.x] = __expf(p[threadIdx.x]);
  atomicAdd(sum, p[threadIdx.x]);
}

int main() {
  int* a;
  float* b;
  cudaMallocManaged(&a, 64 * sizeof(int)), cudaMallocManaged(&b, 64 * sizeof(float));
  cudaFuncSetCacheConfig(exact, cudaFuncCachePreferShared);
  exact<<<1, 32>>>(a);
  approximated<<<1, 32>>>(b, b + 32);
  cudaExternalMemoryHandleDesc description{};
  cudaExternalMemory_t memory;
  printf("%s\n", cudaGetErrorName(cudaImportExternalMemory(&memory, &description)));
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
