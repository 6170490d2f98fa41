extern "C" __global__ void reverse(float* out, const float* in) {
  __shared__ float cache[128];
  cache[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = cache[127 - threadIdx.x];
}
