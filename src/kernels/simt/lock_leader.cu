// The same sums, but the lanes of a warp add up among themselves, and one of them takes the lock for all.
extern "C" __global__ void simt_lock_leader(const float* in, float* out) {
  __shared__ int lock;
  __shared__ volatile float sum;
  if (threadIdx.x == 0) {
    lock = 0;
    sum = 0;
  }
  __syncthreads();
  float x = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  bool done = threadIdx.x % 32 != 0;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();
      sum = sum + x;
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
