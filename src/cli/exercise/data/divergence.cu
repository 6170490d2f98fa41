__device__ unsigned even(unsigned v) {
  for (int k = 0; k < 20; ++k) v = v * 1664525u + 1013904223u;
  return v;
}
__device__ unsigned odd(unsigned v) {
  for (int k = 0; k < 20; ++k) v ^= v << 13, v ^= v >> 17, v ^= v << 5;
  return v;
}

// out[i] = even(in[i]) or odd(in[i]), by the place i.
extern "C" __global__ void treat(unsigned* out, const unsigned* in) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i % 2 == 0)
    out[i] = even(in[i]);
  else
    out[i] = odd(in[i]);
}
