// Kernels whose lanes go apart or whose addresses are far from each other.

// y = A·x, A in compressed rows, a thread for each row.
extern "C" __global__ void spmv(const int* start, const int* column, const float* value, const float* x, float* y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int k = start[r]; k < start[r + 1]; ++k) sum += value[k] * x[column[k]];
  y[r] = sum;
}

// Each block sorts its 512 keys in shared memory.
extern "C" __global__ void bitonic(const unsigned* in, unsigned* out) {
  __shared__ unsigned key[512];
  int t = threadIdx.x;
  for (int k = t; k < 512; k += 256) key[k] = in[blockIdx.x * 512 + k];
  for (int size = 2; size <= 512; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      int low = 2 * t - (t & (step - 1));
      bool up = (low & size) == 0;
      unsigned a = key[low], b = key[low + step];
      if ((a > b) == up) key[low] = b, key[low + step] = a;
    }
  __syncthreads();
  for (int k = t; k < 512; k += 256) out[blockIdx.x * 512 + k] = key[k];
}

// Each block transforms 256 complex numbers (radix 2, Stockham); `roots` holds the 128 powers of the root of unity.
extern "C" __global__ void fft(const float* in, float* out, const float* roots) {
  __shared__ float re[2][256], im[2][256];
  int t = threadIdx.x, from = 0;
  for (int k = t; k < 256; k += 128) {
    re[0][k] = in[2 * (blockIdx.x * 256 + k)];
    im[0][k] = in[2 * (blockIdx.x * 256 + k) + 1];
  }
  __syncthreads();
  for (int m = 1; m < 256; m *= 2) {
    int k = t & (m - 1), root = k * (128 / m), to = 2 * t - k;
    float ar = re[from][t], ai = im[from][t], br = re[from][t + 128], bi = im[from][t + 128];
    float wr = roots[2 * root], wi = roots[2 * root + 1];
    float cr = br * wr - bi * wi, ci = br * wi + bi * wr;
    from = 1 - from;
    re[from][to] = ar + cr, im[from][to] = ai + ci;
    re[from][to + m] = ar - cr, im[from][to + m] = ai - ci;
    __syncthreads();
  }
  for (int k = t; k < 256; k += 128) {
    out[2 * (blockIdx.x * 256 + k)] = re[from][k];
    out[2 * (blockIdx.x * 256 + k) + 1] = im[from][k];
  }
}
