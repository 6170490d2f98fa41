// Images: kernels that nothing was tuned on when they were added (2026-11-24).

// Edges of an image of bytes (Sobel); the border is left alone.
extern "C" __global__ void sobel(const unsigned char* in, unsigned char* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const unsigned char *above = in + (y - 1) * n + x, *here = above + n, *below = here + n;
  int across = above[1] + 2 * here[1] + below[1] - above[-1] - 2 * here[-1] - below[-1];
  int down = below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
  int size = (across < 0 ? -across : across) + (down < 0 ? -down : down);
  out[y * n + x] = size > 255 ? 255 : size;
}

// A bilateral filter of radius 2: near pixels of like brightness count most.
extern "C" __global__ void bilateral(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float centre = in[y * n + x], sum = 0, weights = 0;
  for (int v = -2; v <= 2; ++v)
    for (int u = -2; u <= 2; ++u) {
      int at_x = min(max(x + u, 0), n - 1), at_y = min(max(y + v, 0), n - 1);
      float value = in[at_y * n + at_x], differs = value - centre;
      float weight = expf(-0.125f * (u * u + v * v) - 8.0f * differs * differs);
      sum += weight * value;
      weights += weight;
    }
  out[y * n + x] = sum / weights;
}

// A convolution with 5 × 5 weights; each block keeps its tile with a halo of 2 in shared memory.
extern "C" __global__ void conv2d(const float* in, const float* weight, float* out, int n) {
  __shared__ float tile[20][20];
  int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * 16 - 2, top = blockIdx.y * 16 - 2;
  for (int v = ty; v < 20; v += 16)
    for (int u = tx; u < 20; u += 16) {
      int x = left + u, y = top + v;
      tile[v][u] = x >= 0 && y >= 0 && x < n && y < n ? in[y * n + x] : 0;
    }
  __syncthreads();
  float sum = 0;
  for (int v = 0; v < 5; ++v)
    for (int u = 0; u < 5; ++u) sum += weight[v * 5 + u] * tile[ty + v][tx + u];
  out[(top + 2 + ty) * n + left + 2 + tx] = sum;
}

// A histogram by atomics on global memory alone.
extern "C" __global__ void count_values(const unsigned char* in, int* count, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&count[in[i]], 1);
}
