// Wrong on purpose: only the first 16 lanes of each warp come to the barrier. The others wait where the two ways meet again,
// for lanes that wait at the barrier for them. CUDA allows __syncthreads() under a condition only if it holds for all threads
// of the block or for none.
extern "C" __global__ void simt_part_barrier(const float* in, float* out) {
  __shared__ float words[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  words[threadIdx.x] = in[i];
  float x = in[i];
  if (threadIdx.x % 32 < 16) {
    __syncthreads();
    x += words[threadIdx.x + 16];
  }
  out[i] = x;
}
