// Two files: a kernel calls a function of the other file and reads its variable; both write to one counter.
#include <cstdio>

__device__ int square_of(int x);
extern __device__ int table[4];
extern __device__ int calls;
__constant__ int offset;
void launch_other(int* out);

static __device__ int own() { return 1; }  // the other file has one, too

__global__ void both(int* out) {
  out[threadIdx.x] = square_of(threadIdx.x) + table[threadIdx.x] + offset + own();
  atomicAdd(&calls, 1);
}

int main() {
  int *out, seven = 7, called = 0;
  cudaMallocManaged(&out, 8 * sizeof *out);
  cudaMemcpyToSymbol(offset, &seven, sizeof seven);
  both<<<1, 4>>>(out);
  launch_other(out + 4);
  cudaDeviceSynchronize();
  cudaMemcpyFromSymbol(&called, calls, sizeof called);
  for (int i = 0; i < 8; ++i) printf("%d ", out[i]);
  printf("calls %d, %s\n", called, cudaGetErrorString(cudaGetLastError()));
}
