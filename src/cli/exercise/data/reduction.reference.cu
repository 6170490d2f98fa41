extern "C" __global__ void sum_reference(int* out, const int* in) {
  if (threadIdx.x > 0) return;
  int all = 0;
  for (int i = 0; i < 256; ++i) all += in[blockIdx.x * 256 + i];
  out[blockIdx.x] = all;
}
