// Variables that both sides read and write by name (Programming Guide, __managed__).
// expect: at first 5 0 1.5 2 3
// expect: kernels wrote 6 11 3 20 7
// expect: the host wrote 42 42
// expect: by address 43
// expect: by symbol 50
// expect: pointer managed
#include <cstdio>
#include <cstring>

struct Pair {
  float x;
  long long n;
};
__device__ __managed__ int one = 5;
__managed__ int many[40];
static __managed__ Pair pair = {1.5f, 2};
namespace {
__managed__ short small = 3;
}

__global__ void write(int* by_address) {
  if (threadIdx.x == 0) {
    one += 1, many[10] = 11, pair.x *= 2, pair.n = 20, small += 4;
    if (by_address) *by_address += 1;
  }
}
__global__ void copy(int* to) { *to = one; }

int main() {
  std::printf("at first %d %d %g %lld %d\n", one, many[39], pair.x, pair.n, small);
  write<<<1, 32>>>(nullptr);
  cudaDeviceSynchronize();
  std::printf("kernels wrote %d %d %g %lld %d\n", one, many[10], pair.x, pair.n, small);
  one = 42;
  int *p, got = 0;
  cudaMalloc(&p, sizeof *p);
  copy<<<1, 1>>>(p);
  cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost);
  std::printf("the host wrote %d %d\n", got, one);
  many[3] = 42;
  write<<<1, 32>>>(&many[3]);
  cudaDeviceSynchronize();
  std::printf("by address %d\n", many[3]);
  got = 50;
  cudaMemcpyToSymbol(one, &got, sizeof got);
  std::printf("by symbol %d\n", one);
  cudaPointerAttributes a;
  std::memset(&a, 0, sizeof a);
  cudaPointerGetAttributes(&a, &many[1]);
  std::printf("pointer %s\n", a.type == cudaMemoryTypeManaged ? "managed" : "of another kind");
}
