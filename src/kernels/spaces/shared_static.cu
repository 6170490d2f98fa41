// Shared memory of a size that the compiler knows. Every block brings 1024 words in, and its warps read them again and again
// with a stride: lane l reads word l·stride + r (+ the number of its warp). How many of a warp's words lie in one of the 32 banks decides how
// long the read takes.
extern "C" __global__ void spaces_shared_static(const float* in, float* out, int stride, int rounds) {
  __shared__ float words[1024];
  const int t = threadIdx.x;
  const float* mine = in + blockIdx.x * 1024;
  for (int i = t; i < 1024; i += blockDim.x) words[i] = mine[i];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) sum += words[(t % 32 * stride + t / 32 + r) % 1024];
  out[blockIdx.x * blockDim.x + t] = sum;
}
