// The threads of a block add to a sum one at a time, under a lock that every lane takes for itself.
//
// Taking the lock, the work and giving it back are all inside the loop, so that the lane that has it can go on while the
// others of its warp try again. `while (atomicCAS(…)); work; unlock;` waits for ever on GPUs before 7.0: lanes that wait keep
// the one that has the lock from going on. (A compiler may make that of this, as clang does: since 7.0 lanes have turns of
// their own, and so they have in the engine.)
extern "C" __global__ void simt_lock_lanes(const float* in, float* out) {
  __shared__ int lock;
  __shared__ volatile float sum;
  if (threadIdx.x == 0) {
    lock = 0;
    sum = 0;
  }
  __syncthreads();
  const float x = in[blockIdx.x * blockDim.x + threadIdx.x];
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();  // nothing of the work is done before the lock is ours
      sum = sum + x;
      __threadfence_block();  // and all of it is seen before it is given back
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
