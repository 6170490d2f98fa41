// One mistake, then a kernel that waits for ever: for interruptions. With an argument: only that kernel, and another
// thread ends the program while it runs.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

__global__ void write(int* p) { p[threadIdx.x] = 0; }
__global__ void endless(int* p) {
  while (atomicAdd(p, 0) == 0) __nanosleep(1000);
}
int main(int argc, char**) {
  int* p;
  cudaMalloc(&p, 31 * sizeof *p);
  if (argc > 1) {
    cudaMemset(p, 0, 31 * sizeof *p);
    std::thread([] { sleep(1), std::exit(5); }).detach();
    endless<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    return 6;
  }
  write<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  printf("waiting\n");
  fflush(stdout);
  endless<<<1, 32>>>(p);
  cudaDeviceSynchronize();
}
