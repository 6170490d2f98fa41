// cuda::barrier with bulk copies and cuda::pipeline, as nvcc compiles libcu++.
// nvcc -std=c++17 -arch=compute_90 -ptx asynchronous.cu (CUDA 13.0)
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

// 256 numbers come by one bulk copy, are each made one larger, and go by another.
extern "C" __global__ void bulk(const int* in, int* out) {
  __shared__ alignas(128) int data[256];
  __shared__ barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(data, in, cuda::aligned_size_t<16>(sizeof data), bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof data);
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  data[threadIdx.x] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, data, sizeof data);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}

// Four batches of 128 numbers through a pipeline of two stages; out[t] is the sum of the batches' t-th numbers.
extern "C" __global__ void pipeline(const int* in, int* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int stage[2][128];
  auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int next = 0, done = 0; done < 4; ++done) {
    for (; next < 4 && next < done + 2; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[next % 2], in + next * 128, sizeof(int) * 128, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += stage[done % 2][threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// A barrier of 96 threads, used 10 times: each time everybody adds what its neighbour had.
extern "C" __global__ void phases(int* cells) {
  __shared__ int values[96];
  __shared__ barrier bar;
  if (threadIdx.x == 0) init(&bar, 96);
  values[threadIdx.x] = cells[threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 10; ++k) {
    int other = values[(threadIdx.x + 1) % 96];
    bar.arrive_and_wait();
    values[threadIdx.x] += other;
    bar.arrive_and_wait();
  }
  cells[threadIdx.x] = values[threadIdx.x];
}
