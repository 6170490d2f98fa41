extern "C" __global__ void product(float* c, const float* a, const float* b, int n) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    as[ty][tx] = a[y * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
