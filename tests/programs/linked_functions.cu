#include <cstdio>

__device__ int counter = 100;
extern __constant__ float factors[2];
static __device__ int own = 7;

__device__ float scale(float x) { return x * factors[1]; }
__device__ __noinline__ int apply(int (*f)(int), int x) { return f(x) + own; }
__global__ void read_counter(int* out) {
  out[0] = counter;
  printf("bye\n");
}
