extern "C" __global__ void histogram_reference(int* bins, const int* in, int n) {
  if (blockIdx.x > 0 || threadIdx.x >= 64) return;
  int count = 0;
  for (int i = 0; i < n; ++i) count += (in[i] & 63) == (int)threadIdx.x;
  bins[threadIdx.x] = count;
}
