// Mistakes of programs compiled with --default-stream per-thread, each with its fixed twin: docs/gallery.md.
#include <cuda.h>

#include <thread>

#include "gallery.h"

constexpr int kCount = 4096;

__global__ void fill(int* p, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] =
      value;  // finds other_stream: race; finds copied: race; finds by_driver: race; finds two_threads: race
}
__global__ void add(const int* p, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = p[i] + 1;  // finds other_stream: race; finds set_by_driver: race
}

// Written for the legacy default stream, which a blocking stream and the default stream wait for.
template <bool Fixed>
void other_stream() {
  int *p = zeros<int>(kCount), *out = zeros<int>(kCount);
  cudaDeviceSynchronize();
  cudaStream_t s;
  cudaStreamCreate(&s);
  fill<<<kCount / 128, 128, 0, s>>>(p, 1);
  if (Fixed) cudaStreamSynchronize(s);
  add<<<kCount / 128, 128>>>(p, out);
}
template <bool Fixed>
void copied() {
  int *p = zeros<int>(kCount), all[kCount];
  cudaDeviceSynchronize();
  cudaStream_t s;
  cudaStreamCreate(&s);
  fill<<<kCount / 128, 128, 0, s>>>(p, 1);
  if (Fixed) cudaStreamSynchronize(s);
  cudaMemcpy(all, p, sizeof all, cudaMemcpyDeviceToHost);
  hidden(all[7]);
}
// The driver's functions without a stream, too.
using Copy = CUresult(void*, CUdeviceptr, size_t);
using Set = CUresult(CUdeviceptr, unsigned, size_t);
template <bool Fixed>
void by_driver() {
  int *p = zeros<int>(kCount), all[kCount];
  cudaDeviceSynchronize();
  cudaStream_t s;
  cudaStreamCreate(&s);
  fill<<<kCount / 128, 128, 0, s>>>(p, 1);
  if (Fixed) cudaStreamSynchronize(s);
  driver<Copy>("cuMemcpyDtoH")(all, reinterpret_cast<CUdeviceptr>(p), sizeof all);
  hidden(all[7]);
}
template <bool Fixed>
void set_by_driver() {
  int *p = zeros<int>(kCount), *out = zeros<int>(kCount);
  cudaDeviceSynchronize();
  cudaStream_t s;
  cudaStreamCreate(&s);
  add<<<kCount / 128, 128, 0, s>>>(p, out);
  if (Fixed) cudaStreamSynchronize(s);
  driver<Set>("cuMemsetD32")(reinterpret_cast<CUdeviceptr>(p), 5, kCount);
}
// Each thread of the host has a default stream of its own.
template <bool Fixed>
void two_threads() {
  int* p = zeros<int>(kCount);
  cudaDeviceSynchronize();
  std::thread([&] {
    fill<<<kCount / 128, 128>>>(p, 1);
    if (Fixed) cudaStreamSynchronize(0);
  }).join();
  fill<<<kCount / 128, 128>>>(p, 2);
}
// The kernel and the copies of one thread are in one stream; a set, a launch with attributes and a copy of
// two dimensions, too. What another thread does meanwhile is in another.
void one_thread() {
  int *p = zeros<int>(kCount), *q = zeros<int>(kCount), all[kCount];
  cudaDeviceSynchronize();
  std::thread other([&] { fill<<<kCount / 128, 128>>>(q, 3); });
  cudaMemsetAsync(p, 0, kCount * sizeof(int));
  cudaLaunchConfig_t config{};
  config.gridDim = kCount / 128, config.blockDim = 128;
  cudaLaunchKernelEx(&config, fill, p, 2);
  cudaMemcpy2D(all, 256, p, 256, 256, kCount / 64, cudaMemcpyDeviceToHost);
  cudaMemcpyAsync(p, all, sizeof all, cudaMemcpyHostToDevice);
  driver<Set>("cuMemsetD32")(reinterpret_cast<CUdeviceptr>(p), 5, kCount);
  fill<<<kCount / 128, 128>>>(p, 1);
  cudaMemcpy(all, p, sizeof all, cudaMemcpyDeviceToHost);
  other.join();
  if (all[7] != 1) fill<<<1, 1>>>(nullptr, 0);
}

int main(int argc, char** argv) {
#define BOTH(name) \
  {#name, name<false>}, { #name "_fixed", name < true> }
  const Case cases[] = {BOTH(other_stream),  BOTH(copied),      BOTH(by_driver),
                        BOTH(set_by_driver), BOTH(two_threads), {"one_thread_fixed", one_thread}};
  return run_case(cases, argc, argv);
}
