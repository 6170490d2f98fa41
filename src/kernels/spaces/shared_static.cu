// Shared memory of a size that the compiler knows. Every block brings 1024 words in, and its warps read them with a stride:
// lane l reads word l·stride (+ the number of its warp). How many of a warp's words lie in one of the 32 banks decides how
// long the read takes.
extern "C" __global__ void spaces_shared_static(const float* in, float* out, int stride) {
  __shared__ float words[1024];
  const int t = threadIdx.x;
  const float* mine = in + blockIdx.x * 1024;
  for (int i = t; i < 1024; i += blockDim.x) words[i] = mine[i];
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = words[(t % 32 * stride + t / 32) % 1024];
}
