// Launches: configuration errors, printf at synchronisation, managed and registered memory, symbols, faults.
#include <cstdio>

#define CALL(x) std::printf("%s\n", cudaGetErrorName(x))

__constant__ int factor[2];
__device__ int sum;
__managed__ int shared_number = 5;

__global__ void hello() { printf("hello %d\n", threadIdx.x); }
__global__ void twice(int* p, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) p[i] *= 2;
}
__global__ void weigh(const int* p) { atomicAdd(&sum, p[threadIdx.x] * factor[threadIdx.x]); }
__global__ void null(int* p) { *p = 1; }

int main() {
  hello<<<1, 2>>>();
  std::puts("launched");
  CALL(cudaDeviceSynchronize());
  twice<<<1, 1>>>(&shared_number, 1);
  CALL(cudaDeviceSynchronize());
  std::printf("%d\n", shared_number);
  int h[4] = {1, 2, 3, 4};
  CALL(cudaHostRegister(h, sizeof h, cudaHostRegisterDefault));
  CALL(cudaHostRegister(h, sizeof h, cudaHostRegisterDefault));
  twice<<<1, 4>>>(h, 4);
  CALL(cudaDeviceSynchronize());
  std::printf("%d %d\n", h[0], h[3]);
  int two[2] = {3, 10}, zero = 0;
  CALL(cudaMemcpyToSymbol(factor, two, sizeof two));
  CALL(cudaMemcpyToSymbol(sum, &zero, sizeof zero));
  weigh<<<1, 2>>>(h);
  CALL(cudaMemcpyFromSymbol(&zero, sum, sizeof zero));
  std::printf("%d\n", zero);
  CALL(cudaHostUnregister(h));
  CALL(cudaHostUnregister(h));
  twice<<<1, 2048>>>(nullptr, 0);
  CALL(cudaPeekAtLastError());
  CALL(cudaGetLastError());
  CALL(cudaGetLastError());
  twice<<<1, 1, 64 * 1024>>>(nullptr, 0);
  CALL(cudaGetLastError());
  CALL(cudaFuncSetAttribute(twice, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
  twice<<<1, 1, 64 * 1024>>>(nullptr, 0);
  CALL(cudaGetLastError());
  CALL(cudaLaunchKernel(h, 1, 1, nullptr, 0, nullptr));
  null<<<1, 1>>>(nullptr);
  CALL(cudaDeviceSynchronize());
  void* p;
  CALL(cudaMalloc(&p, 4));
  CALL(cudaDeviceReset());
  CALL(cudaMalloc(&p, 4));
}
// expect: launched
// expect: hello 0
// expect: hello 1
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 10
// expect: cudaSuccess
// expect: cudaErrorHostMemoryAlreadyRegistered
// expect: cudaSuccess
// expect: 2 8
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: 46
// expect: cudaSuccess
// expect: cudaErrorHostMemoryNotRegistered
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaSuccess
// expect: cudaErrorInvalidValue
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaErrorInvalidResourceHandle
// expect: cudaErrorIllegalAddress
// expect: cudaErrorIllegalAddress
// expect: cudaSuccess
// expect: cudaSuccess
