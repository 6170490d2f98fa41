// cuda::barrier and cuda::pipeline: phases, arrivals apart from waits, copies, stages.
//
// expect: sums 496 496 496 496
// expect: apart 32 64
// expect: dropped 3
// expect: over the grid 6
// expect: copied 2016 2016
// expect: stages 28 92 156 220
// expect: roles 120 376
// expect: no error
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include <cstdio>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cg = cooperative_groups;

__global__ void phases(int* out) {  // each thread sums what all wrote, again and again
  __shared__ Barrier b;
  __shared__ int values[32];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 4; round++) {
    values[threadIdx.x] = (threadIdx.x + round) % 32;
    b.arrive_and_wait();
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += values[i];
    b.arrive_and_wait();
    if (threadIdx.x == 31 - round) out[round] = sum;
  }
}
__global__ void apart(int* out) {  // one warp writes, the other waits
  __shared__ Barrier b;
  __shared__ int count[2];
  if (threadIdx.x < 2) count[threadIdx.x] = 0;
  if (threadIdx.x == 0) init(&b, 64);
  __syncthreads();
  for (int k = 0; k < 2; k++) {
    if (threadIdx.x >= 32) atomicAdd(&count[k], k + 1);
    auto token = b.arrive();
    if (threadIdx.x < 32) {
      b.wait(std::move(token));
      if (threadIdx.x == 7) out[k] = count[k];
    } else {
      b.wait(std::move(token));
    }
  }
}
__global__ void dropped(int* out) {  // fewer come in every phase
  __shared__ Barrier b;
  if (threadIdx.x == 0) init(&b, 4), *out = 0;
  __syncthreads();
  for (unsigned k = 0; k < 3; k++) {
    if (threadIdx.x == k) return b.arrive_and_drop();
    b.arrive_and_wait();
    if (threadIdx.x == 3) (*out)++;
  }
}
__device__ cuda::barrier<cuda::thread_scope_device> global;
__device__ int total;
__global__ void prepare() { init(&global, 3 * 32); }
__global__ void over_the_grid(int* out) {
  if (threadIdx.x == 0) atomicAdd(&total, blockIdx.x + 1);
  global.arrive_and_wait();
  if (blockIdx.x == 1 && threadIdx.x == 5) *out = *(volatile int*)&total;
}
__global__ void copied(const int* in, int* out) {
  __shared__ Barrier b;
  __shared__ __align__(16) int a[64], c[64];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&b, block.size());
  block.sync();
  cuda::memcpy_async(block, a, in, cuda::aligned_size_t<16>(sizeof a), b);
  cuda::memcpy_async(c + 2 * threadIdx.x, in + 2 * threadIdx.x, 8, b);
  b.arrive_and_wait();
  if (threadIdx.x != 0) return;
  out[0] = out[1] = 0;
  for (int i = 0; i < 64; i++) out[0] += a[i], out[1] += c[i];
}
__global__ void stages(const int* in, int* out) {  // 8 numbers in each of two stages
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int part[2][8];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int fetch = 0, k = 0; k < 4; k++) {
    for (; fetch < 4 && fetch < k + 2; fetch++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, part[fetch % 2], in + 8 * fetch, sizeof part[0], pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    if (threadIdx.x == 0) {
      out[k] = 0;
      for (int i = 0; i < 8; i++) out[k] += part[k % 2][i];
    }
    pipe.consumer_release();
  }
}
__global__ void roles(const int* in, int* out) {  // the first warp fetches, the second adds
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  __shared__ int part[16];
  auto block = cg::this_thread_block();
  const bool producer = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(block, &state,
                                  producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int k = 0; k < 2; k++) {
    if (producer) {
      pipe.producer_acquire();
      if (threadIdx.x < 16) cuda::memcpy_async(part + threadIdx.x, in + 16 * k + threadIdx.x, 4, pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      if (threadIdx.x == 32) {
        out[k] = 0;
        for (int i = 0; i < 16; i++) out[k] += part[i];
      }
      pipe.consumer_release();
    }
  }
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(int)), cudaMallocManaged(&out, 4 * sizeof(int));
  for (int i = 0; i < 64; i++) in[i] = i;
  phases<<<1, 32>>>(out), cudaDeviceSynchronize();
  std::printf("sums %d %d %d %d\n", out[0], out[1], out[2], out[3]);
  apart<<<1, 64>>>(out), cudaDeviceSynchronize();
  std::printf("apart %d %d\n", out[0], out[1]);
  dropped<<<1, 4>>>(out), cudaDeviceSynchronize();
  std::printf("dropped %d\n", out[0]);
  prepare<<<1, 1>>>(), over_the_grid<<<3, 32>>>(out), cudaDeviceSynchronize();
  std::printf("over the grid %d\n", out[0]);
  copied<<<1, 32>>>(in, out), cudaDeviceSynchronize();
  std::printf("copied %d %d\n", out[0], out[1]);
  stages<<<1, 32>>>(in, out), cudaDeviceSynchronize();
  std::printf("stages %d %d %d %d\n", out[0], out[1], out[2], out[3]);
  roles<<<1, 64>>>(in, out), cudaDeviceSynchronize();
  std::printf("roles %d %d\n", out[0], out[1]);
  std::puts(cudaGetErrorString(cudaGetLastError()));
}
