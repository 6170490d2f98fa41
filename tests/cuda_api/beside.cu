// What a kernel does a little beside an array passes, as on a card, whose memory comes in pages of 2 MB (CUDA's driver:
// cuMemGetAllocationGranularity); far from all arrays it is a fault (Runtime API: cudaErrorIllegalAddress).
// expect: near 0 no error
// expect: written 7 no error
// expect: null an illegal memory access was encountered
// expect: sticky an illegal memory access was encountered
// expect: misaligned misaligned address
#include <cstdio>

__global__ void add(int* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] += i < n ? 7 : 100;
}
__global__ void look(const int* a, int* out) { *out = a[-1] + a[64]; }
__global__ void odd(char* a) { *reinterpret_cast<int*>(a + 1) = 1; }

static const char* after() {
  cudaDeviceSynchronize();
  return cudaGetErrorString(cudaGetLastError());
}

int main() {
  int *a, *out, value = 1;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  look<<<1, 1>>>(a, out);
  const char* said = after();
  cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
  printf("near %d %s\n", value, said);  // nothing else has written there
  add<<<3, 32>>>(a, 64);
  said = after();
  cudaMemcpy(&value, a + 63, sizeof value, cudaMemcpyDeviceToHost);
  printf("written %d %s\n", value, said);
  add<<<1, 32>>>(nullptr, 64);
  printf("null %s\n", after());
  printf("sticky %s\n", cudaGetErrorString(cudaFree(a)));
  cudaDeviceReset();
  char* b;
  cudaMalloc(&b, 64);
  odd<<<1, 1>>>(b);
  printf("misaligned %s\n", after());
}
