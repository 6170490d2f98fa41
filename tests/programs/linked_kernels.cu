// With linked_functions.cu one program: functions, pointers to functions and variables across files (nvcc
// -rdc=true).
#include <cstdio>

extern __device__ int counter;
__device__ float scale(float x);
static __device__ int own = 5;  // the other file has one of this name
__constant__ float factors[2] = {2.f, 3.f};
__device__ int apply(int (*f)(int), int x);
static __device__ int twice(int x) { return 2 * x + own; }
__global__ void read_counter(int* out);

__global__ void calls(float* values, int* results) {
  extern __shared__ float copy[];
  int i = threadIdx.x;
  copy[i] = values[i];
  __syncthreads();
  values[i] = scale(copy[i ^ 1]);
  atomicAdd(&counter, 1);
  results[i] = apply(twice, i);
  if (i == 3) printf("hello from %d\n", i);
}

int main() {
  float values[32], *device_values;
  int results[32], *device_results;
  for (int i = 0; i < 32; i++) values[i] = float(i);
  cudaMalloc(&device_values, sizeof values);
  cudaMalloc(&device_results, sizeof results);
  cudaMemcpy(device_values, values, sizeof values, cudaMemcpyHostToDevice);
  calls<<<1, 32, sizeof values>>>(device_values, device_results);
  cudaMemcpy(values, device_values, sizeof values, cudaMemcpyDeviceToHost);
  cudaMemcpy(results, device_results, sizeof results, cudaMemcpyDeviceToHost);
  std::printf("%g %g %d %d\n", values[0], values[31], results[0], results[31]);
  read_counter<<<1, 1>>>(device_results);
  cudaMemcpy(results, device_results, sizeof results, cudaMemcpyDeviceToHost);
  std::printf("%d %s\n", results[0], cudaGetErrorString(cudaGetLastError()));
}
