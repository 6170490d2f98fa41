// Twice: each element becomes the sum of itself and its neighbours in the block.
extern "C" __global__ void smooth(int* out, const int* in) {
  __shared__ int line[258];
  int t = threadIdx.x + 1;
  if (threadIdx.x == 0) line[0] = line[257] = 0;
  line[t] = in[blockIdx.x * 256 + threadIdx.x];
  int sum = 0;
  for (int k = 0; k < 2; ++k) {
    sum = line[t - 1] + line[t] + line[t + 1];
    line[t] = sum;
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
