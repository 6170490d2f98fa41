// The same as simt_vote without votes: the lanes tell each other through shared memory, and every one counts by itself.
extern "C" __global__ void simt_vote_shared(const float* in, float* out) {
  __shared__ int positive[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const float x = in[i];
  int* flags = positive + (threadIdx.x - lane);
  float* mine = out + (i - lane);
  flags[lane] = x > 0;
  __syncwarp();
  int before = 0, count = 0;
#pragma unroll 1
  for (int l = 0; l < 32; ++l) {
    const int flag = flags[l];
    count += flag;
    if (l < lane) before += flag;
  }
  if (lane >= count) mine[lane] = 0;
  if (x > 0) mine[before] = x;
}
