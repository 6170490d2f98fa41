// Reverses each block's 128 numbers.
extern "C" __global__ void reverse(float* out, const float* in) {
  __shared__ float cache[8192];
  cache[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = cache[127 - threadIdx.x];
}
