// What a call of the runtime costs the host: microseconds of one launch, copy or set, of many one behind
// another (the least of some rounds). The program of bench/launch_cost.
#include <algorithm>
#include <chrono>
#include <cstdio>

__global__ void empty() {}

__global__ void saxpy(float* y, const float* x, int n, float a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

__global__ void reverse(float* y) {
  __shared__ float tile[256];
  tile[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__device__ int sum(const int* list, int n) { return n ? list[n - 1] + sum(list, n - 1) : 0; }
__global__ void recursive(int* list) { list[threadIdx.x + 8] = sum(list, 4); }

template <class Call>
void time(const char* name, const Call& call) {
  using Clock = std::chrono::steady_clock;
  constexpr int kWarm = 20000, kCalls = 50000, kRounds = 7;  // compiled code comes while it is warmed up
  for (int k = 0; k < kWarm; ++k) call(k);
  cudaDeviceSynchronize();
  double least = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = Clock::now();
    for (int k = 0; k < kCalls; ++k) call(k);
    cudaDeviceSynchronize();
    least = std::min(least, std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / kCalls);
  }
  std::printf("%s,%.2f\n", name, least);
  std::fflush(stdout);
}

int main() {
  float *x, *y;
  int* list;
  const int n = 4096;
  if (cudaMalloc(&x, n * sizeof *x) || cudaMalloc(&y, n * sizeof *y) || cudaMalloc(&list, 1024)) return 1;
  cudaMemset(x, 0, n * sizeof *x), cudaMemset(y, 0, n * sizeof *y), cudaMemset(list, 0, 1024);
  std::puts("call,us");
  time("empty: 1 block of 1 thread", [](int) { empty<<<1, 1>>>(); });
  time("empty: 1 block of 256 threads", [](int) { empty<<<1, 256>>>(); });
  time("saxpy: 1 block of 256 threads", [&](int) { saxpy<<<1, 256>>>(y, x, 256, 2); });
  time("saxpy: other arguments each time", [&](int k) { saxpy<<<1, 256>>>(y + k % 7, x, 200, k); });
  time("saxpy: 16 blocks of 256 threads", [&](int) { saxpy<<<16, 256>>>(y, x, n, 2); });
  time("reverse, with a barrier: 1 block of 256 threads", [&](int) { reverse<<<1, 256>>>(y); });
  time("recursive: 1 block of 32 threads", [&](int) { recursive<<<1, 32>>>(list); });
  float host = 0;
  time("copy of 4 bytes", [&](int) { cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost); });
  time("set of 4 bytes", [&](int) { cudaMemsetAsync(x, 0, sizeof *x); });
  const cudaError_t error = cudaGetLastError();
  if (error) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
