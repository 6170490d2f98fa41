// A kernel of 64 blocks, one after the other 50 ms each by the clock: 3.2 s, whatever the machine.
#include <cstdio>

__global__ void slow_block(int* ended) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - begin < 50000000ull);
  atomicAdd(ended, 1);
}

int main() {
  int* ended;
  cudaMallocManaged(&ended, sizeof *ended);
  slow_block<<<64, 1>>>(ended);
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s %d\n", cudaGetErrorString(error), *ended);
}
