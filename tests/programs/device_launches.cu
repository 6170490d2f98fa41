// Kernels that launch kernels (CUDA Programming Guide, CUDA Dynamic Parallelism): all of it has ended when
// the first kernel has; launches into one stream run one after the other, the tail stream behind all others.
#include <cstdio>

__device__ int sum, order[8], next;

__global__ void note(int what) { order[atomicAdd(&next, 1)] = what; }
__global__ void add(int depth, long long value, short odd) {
  if (threadIdx.x == 0 && depth > 0) {
    add<<<2, 64>>>(depth - 1, value, odd);  // every block of a depth starts two
    if (cudaGetLastError() != cudaSuccess) sum = -1000000;
  }
  if (threadIdx.x == 0) atomicAdd(&sum, int(value) + odd);
}
__global__ void ordered(int* to, const int* from) {
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(9);
  note<<<1, 1>>>(1);
  cudaMemcpyAsync(to, from, sizeof(int), cudaMemcpyDeviceToDevice, 0);
  note<<<1, 1>>>(2);
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  note<<<1, 1, 0, s>>>(3);
  cudaStreamDestroy(s);
  order[atomicAdd(&next, 1)] = 0;  // the parent goes on first
}
extern __shared__ int memory[];
__global__ void shared_child(int* out) {
  memory[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = memory[blockDim.x - 1 - threadIdx.x];
}
__global__ void shared_parent(int* out) { shared_child<<<1, 64, 64 * sizeof(int)>>>(out); }

int main() {
  int value, got[8], *a, *b;
  add<<<1, 32>>>(4, 10, -3);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaMemcpyFromSymbol(&value, sum, sizeof value);
  printf("%d\n", value);  // 1 + 2 + 4 + 8 + 16 blocks, 7 each
  cudaMalloc(&a, 64 * sizeof(int)), cudaMalloc(&b, sizeof(int));
  value = 77;
  cudaMemcpy(b, &value, sizeof value, cudaMemcpyHostToDevice);
  ordered<<<1, 1>>>(a, b);
  cudaDeviceSynchronize();
  cudaMemcpyFromSymbol(got, order, sizeof got);
  cudaMemcpy(&value, a, sizeof value, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d %d, %d\n", got[0], got[1], got[2], got[3], got[4], value);
  shared_parent<<<1, 1>>>(a);
  cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost);
  printf("%d %d %s\n", got[0], got[1], cudaGetErrorString(cudaGetLastError()));
}
