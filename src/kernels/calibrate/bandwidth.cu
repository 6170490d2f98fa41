// Bandwidths of the whole GPU.

struct __align__(16) Words {
  unsigned x, y, z, w;
};

// Every element once, a thread each: what a large copy reaches. On the H200 this is as fast as cudaMemcpy; loops over the grid and
// several loads per thread were 3 to 15 % slower.
extern "C" __global__ void calibrate_copy(Words* to, const Words* from, unsigned long long elements) {
  const unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < elements) to[i] = from[i];
}

// One block writes all elements `loops` times; out[0] is the clocks between its barriers, the last write included.
extern "C" __global__ void calibrate_write_l2(Words* to, unsigned elements, unsigned loops, unsigned long long* out) {
  unsigned long long start, stop;
  unsigned at = threadIdx.x;
  __syncthreads();
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(start)::"memory");
  for (unsigned i = 0; i < loops; ++i) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      asm volatile("st.global.cg.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(to + at), "r"(i) : "memory");
      at += blockDim.x;
      if (at >= elements) at -= elements;
    }
  }
  __threadfence();
  __syncthreads();
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(stop)::"memory");
  if (threadIdx.x == 0) out[0] = stop - start;
}

// Every block reads all elements `loops` times past L1, each beginning somewhere else; out[block] is the clocks between its
// barriers.
extern "C" __global__ void calibrate_read_l2(const Words* from, unsigned elements, unsigned loops, unsigned long long* out,
                                             unsigned* keep) {
  unsigned sum = 0;
  unsigned long long start, stop;
  unsigned at = (blockIdx.x * 4099u * blockDim.x + threadIdx.x) % elements;
  __syncthreads();
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(start)::"memory");
  for (unsigned i = 0; i < loops; ++i) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      Words v;
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "l"(from + at)
                   : "memory");
      sum += v.x ^ v.y ^ v.z ^ v.w;
      at += blockDim.x;
      if (at >= elements) at -= elements;
    }
  }
  __syncthreads();
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(stop)::"memory");
  if (threadIdx.x == 0) out[blockIdx.x] = stop - start;
  keep[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
