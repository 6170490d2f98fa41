// A kernel that waits for a flag in memory of the host: first the flag is up, then the host waits for the
// kernel and never raises it.
#include <cstdio>

__global__ void wait_for(volatile int* flag, int* seen) {
  while (*flag == 0) {
  }
  atomicAdd(seen, 1);
}

int main() {
  int *flag, *seen;
  cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped);
  cudaMallocManaged(&seen, sizeof *seen);
  *flag = 1;
  wait_for<<<1, 1>>>(flag, seen);
  const cudaError_t error = cudaDeviceSynchronize();
  printf("up %s %d\n", cudaGetErrorString(error), *seen);
  fflush(stdout);
  *flag = 0;
  wait_for<<<2, 1>>>(flag, seen);
  printf("down %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
