// c = a b, n x n, in blocks of 16 x 16 threads.
extern "C" __global__ void product(float* c, const float* a, const float* b, int n) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
