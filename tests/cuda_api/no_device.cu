// Without a device every call says so, as CUDA's manual has it (cudaErrorNoDevice, 100), and nothing else
// happens.

// devices: 0
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

__device__ __managed__ int cell;
__global__ void set(int* p) { *p = 1; }

int main() {
  int count = 7;
  void* p = nullptr;
  cudaStream_t stream;
  std::printf("%d ", cudaGetDeviceCount(&count));
  std::printf("%d\n", count);
  std::printf("%d %d %d ", cudaSetDevice(0), cudaMalloc(&p, 4), cudaStreamCreate(&stream));
  set<<<1, 1>>>(static_cast<int*>(p));
  std::printf("%d %d\n", cudaGetLastError(), cudaDeviceSynchronize());
  std::printf("%d\n", cuInit(0));
}
// expect: 100 0
// expect: 100 100 100 100 100
// expect: 100
