// One mistake, then a kernel that waits for ever: for interruptions. With `exit`: only that kernel, and
// another thread ends the program while it runs. With `counts`: a kernel that counts for ever, whose error
// nobody looks at.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

__global__ void write(int* p) { p[threadIdx.x] = 0; }
__global__ void endless(int* p) {
  while (atomicAdd(p, 0) == 0) __nanosleep(1000);
}
__global__ void count(unsigned long long* p) {
  while (true) atomicAdd(p, 1);
}
int main(int argc, char** argv) {
  int* p;
  cudaMalloc(&p, 31 * sizeof *p);
  if (argc > 1 && std::string(argv[1]) == "counts") {
    unsigned long long* n;
    cudaMalloc(&n, sizeof *n);
    cudaMemset(n, 0, sizeof *n);
    count<<<1, 32>>>(n);
    cudaDeviceSynchronize();
    return 0;
  }
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
