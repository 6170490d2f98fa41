// cudaLimitMallocHeapSize is obeyed: six times 4 MiB fit into 40 MiB, and not into the default of 8.
#include <cstdio>

__global__ void grab(int* got) {
  void* p = malloc(4 << 20);
  if (p) ++*got;
}
static int grabbed() {
  int* got;
  cudaMallocManaged(&got, sizeof *got);
  *got = 0;
  for (int i = 0; i < 6; ++i) grab<<<1, 1>>>(got);
  cudaDeviceSynchronize();
  return *got;
}

int main() {
  std::printf("%d\n", grabbed() < 6);
  cudaDeviceReset();
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 80 << 20);
  std::printf("%d\n", grabbed());
}
// expect: 1
// expect: 6
