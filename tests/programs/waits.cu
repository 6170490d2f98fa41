// One mistake, then a kernel that waits for ever: for interruptions.
#include <cstdio>

__global__ void write(int* p) { p[threadIdx.x] = 0; }
__global__ void endless(int* p) {
  while (atomicAdd(p, 0) == 0) __nanosleep(1000);
}
int main() {
  int* p;
  cudaMalloc(&p, 31 * sizeof *p);
  write<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  printf("waiting\n");
  fflush(stdout);
  endless<<<1, 32>>>(p);
  cudaDeviceSynchronize();
}
