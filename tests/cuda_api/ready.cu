// The runtime's calls about devices initialize the driver, without a context: an H200 printed this (2026-11-26).
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  int count, active = 7;
  unsigned flags;
  std::printf("%d ", cuDevicePrimaryCtxGetState(0, &flags, &active));
  cudaGetDeviceCount(&count);
  const int code = cuDevicePrimaryCtxGetState(0, &flags, &active);
  std::printf("%d %d\n", code, active);
}
// expect: 3 0 0
