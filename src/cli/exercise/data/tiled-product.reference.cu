extern "C" __global__ void product_reference(float* c, const float* a, const float* b, int n) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += (double)a[y * n + k] * b[k * n + x];
  c[y * n + x] = (float)sum;
}
