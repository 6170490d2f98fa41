// What a block costs besides what it does.

extern "C" __global__ void calibrate_empty() {}

// One block meets `loops` · 16 times at a barrier; out[0] is the clocks that takes.
extern "C" __global__ void calibrate_barrier(unsigned loops, unsigned long long* out) {
  unsigned long long start, stop;
  __syncthreads();
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(start)::"memory");
  for (unsigned i = 0; i < loops; ++i) {
#pragma unroll
    for (int k = 0; k < 16; ++k) __syncthreads();
  }
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(stop)::"memory");
  if (threadIdx.x == 0) out[0] = stop - start;
}

// One thread writes to 512 lines in turn, `loops` times in all, each with a fence behind it: near and far
// parts of L2 alike. out[0] is the clocks that takes, the lines begin at out[1].
extern "C" __global__ void calibrate_fence(unsigned loops, unsigned long long* out) {
  unsigned long long start, stop;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(start)::"memory");
  for (unsigned i = 0; i < loops; ++i) {
    *(volatile unsigned long long*)(out + 1 + 16 * (i % 512)) = i;
    __threadfence();
  }
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(stop)::"memory");
  out[0] = stop - start;
}
