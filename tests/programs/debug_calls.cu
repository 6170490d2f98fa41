// Mistakes inside functions of CUDA's headers that several lines call, built with -G, which inlines none of
// them: each is to be told at its own line, marked FOUND. debug_calls.py compares.
#include <cuda_pipeline.h>

#include <cuda/barrier>

__global__ void copies(const float* in, float* out) {
  __shared__ float tile[2][32];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], in + t, sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  float sum = tile[0][31 - t];
  __pipeline_memcpy_async(&tile[1][t], in + 32 + t, sizeof(float));  // FOUND race
  __pipeline_commit();
  sum += tile[1][31 - t];  // FOUND race
  __pipeline_wait_prior(0);
  out[t] = sum;
}
__global__ void masks(int* out) {
  __syncwarp(0xffffffff);
  if (threadIdx.x < 16)
    __syncwarp(0xffff);
  else
    __syncwarp(0xff000000);  // FOUND mask
  out[threadIdx.x] = 1;
}
__global__ void counters(int* all, int* own) {
  atomicAdd_block(own + blockIdx.x, 1);
  atomicAdd_block(all, 1);  // FOUND race
}
__global__ void waits(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all, few;
  if (threadIdx.x == 0) init(&all, blockDim.x), init(&few, blockDim.x + 1);
  __syncthreads();
  all.arrive_and_wait();
  few.arrive_and_wait();  // FOUND mbarrier deadlock
  out[threadIdx.x] = 1;
}

int main() {
  float *in, *sums;
  int* counts;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  cudaMalloc(&sums, 32 * sizeof(float));
  cudaMalloc(&counts, 32 * sizeof(int));
  cudaMemset(counts, 0, 32 * sizeof(int));
  copies<<<1, 32>>>(in, sums);
  masks<<<1, 32>>>(counts);
  counters<<<2, 32>>>(counts, counts + 1);
  waits<<<1, 32>>>(counts);
  cudaDeviceSynchronize();
}
