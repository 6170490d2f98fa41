__device__ unsigned even(unsigned v) {
  for (int k = 0; k < 20; ++k) v = v * 1664525u + 1013904223u;
  return v;
}
__device__ unsigned odd(unsigned v) {
  for (int k = 0; k < 20; ++k) v ^= v << 13, v ^= v >> 17, v ^= v << 5;
  return v;
}

extern "C" __global__ void treat(unsigned* out, const unsigned* in) {
  unsigned t = threadIdx.x, first = blockIdx.x * 256;
  if (t < 128)
    out[first + 2 * t] = even(in[first + 2 * t]);
  else
    out[first + 2 * (t - 128) + 1] = odd(in[first + 2 * (t - 128) + 1]);
}
