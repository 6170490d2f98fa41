// Launches that no GPU can begin, each for another reason.
#include <cstdio>

__global__ void touch(int* p) {
  __shared__ int own[256];
  extern __shared__ int more[];
  own[threadIdx.x % 256] = more[0] = 1;
  __syncthreads();
  *p = own[0] + more[0];
}
__global__ void __launch_bounds__(64) narrow(int* p) { *p = 1; }

static void tell() { printf("%s\n", cudaGetErrorName(cudaGetLastError())); }

int main() {
  int* p;
  cudaMalloc(&p, sizeof *p);
  touch<<<0, 32, 4>>>(p), tell();
  touch<<<dim3(1, 70000), 32, 4>>>(p), tell();
  touch<<<1, dim3(1, 1, 65), 4>>>(p), tell();
  touch<<<1, dim3(64, 32), 4>>>(p), tell();
  touch<<<1, 32, 60000>>>(p), tell();
  touch<<<1, 32, 300000>>>(p), tell();
  narrow<<<1, 128>>>(p), tell();
  cudaFree(p);
}
