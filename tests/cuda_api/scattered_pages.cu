// Managed memory in a process whose pages lie all over the lower half of the addresses, as those of node do:
// V8 takes random places below 0x400000000000.
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>

__global__ void double_it(int* p) { *p *= 2; }

int main() {
  int taken = 0;
  for (uintptr_t terabyte = 16; terabyte < 64; ++terabyte)
    taken += mmap(reinterpret_cast<void*>(terabyte << 40), 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                  0) == reinterpret_cast<void*>(terabyte << 40);
  int* p = nullptr;
  const cudaError_t made = cudaMallocManaged(&p, sizeof(int));
  if (made == cudaSuccess) {
    *p = 21;
    double_it<<<1, 1>>>(p);
  }
  printf("%s, %s %d\n", taken > 40 ? "taken" : "free", cudaGetErrorName(cudaDeviceSynchronize()), p ? *p : 0);
}

// expect: taken, cudaSuccess 42
