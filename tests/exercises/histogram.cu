extern "C" __global__ void histogram(int* bins, const int* in, int n) {
  __shared__ int own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    int i = blockIdx.x * 1024 + 256 * k + threadIdx.x;
    if (i < n) atomicAdd(&own[in[i] & 63], 1);
  }
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
