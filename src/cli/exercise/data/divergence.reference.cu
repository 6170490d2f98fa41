extern "C" __global__ void treat_reference(unsigned* out, const unsigned* in) {
  unsigned i = blockIdx.x * 256 + threadIdx.x, a = in[i], b = a;
  for (int k = 0; k < 20; ++k) {
    a = a * 1664525u + 1013904223u;
    b ^= b << 13, b ^= b >> 17, b ^= b << 5;
  }
  out[i] = i % 2 == 0 ? a : b;
}
