// out[b] = sum of the 256 numbers of block b.
extern "C" __global__ void sum(int* out, const int* in) {
  __shared__ int part[256];
  unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (unsigned s = 1; s < 256; s *= 2) {
    if (t % (2 * s) == 0) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
