// Grids of floats, n × n, rows below one another; the edge is left alone.
extern "C" __global__ void stencil(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int i = y * n + x;
  out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

// The sum of the 5 × 5 around each element.
extern "C" __global__ void box_sum(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      int u = x + dx, v = y + dy;
      if (u >= 0 && u < n && v >= 0 && v < n) sum += in[v * n + u];
    }
  out[y * n + x] = sum;
}

extern "C" __global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = threadIdx.x, y = threadIdx.y;
  for (int k = y; k < 32; k += 8) tile[k][x] = in[(blockIdx.y * 32 + k) * n + blockIdx.x * 32 + x];
  __syncthreads();
  for (int k = y; k < 32; k += 8) out[(blockIdx.x * 32 + k) * n + blockIdx.y * 32 + x] = tile[x][k];
}
