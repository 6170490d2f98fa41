// Kernels that nothing was tuned on when they were added (2026-11-23).

// How many steps until |z| > 2, at most 256: loops as long as each thread's own number.
extern "C" __global__ void mandelbrot(int* steps, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float a = fmaf(x, 3.0f / 1024, -2.0f), b = fmaf(y, 2.0f / 1024, -1.0f), re = 0, im = 0;
  int k = 0;
  while (k < 256 && fmaf(re, re, im * im) <= 4.0f) {
    float next = fmaf(re, re, fmaf(-im, im, a));
    im = fmaf(2 * re, im, b);
    re = next;
    ++k;
  }
  steps[y * n + x] = k;
}

// Inner products of blocks of 4096 numbers, four numbers a load.
extern "C" __global__ void products(const float4* a, const float4* b, float* out) {
  __shared__ float part[256];
  int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    float4 x = a[blockIdx.x * 1024 + k * 256 + t], y = b[blockIdx.x * 1024 + k * 256 + t];
    sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
  }
  part[t] = sum;
  for (int width = 128; width > 0; width /= 2) {
    __syncthreads();
    if (t < width) part[t] += part[t + width];
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// Matrix by vector: a block of 128 threads for each row.
extern "C" __global__ void gemv(const float* a, const float* x, float* y, int n) {
  __shared__ float part[128];
  int t = threadIdx.x;
  float sum = 0;
  for (int k = t; k < n; k += 128) sum += a[blockIdx.x * n + k] * x[k];
  part[t] = sum;
  for (int width = 64; width > 0; width /= 2) {
    __syncthreads();
    if (t < width) part[t] += part[t + width];
  }
  if (t == 0) y[blockIdx.x] = part[0];
}

// Rows scaled so that their exponentials add up to 1.
extern "C" __global__ void softmax(const float* in, float* out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  const float* row = in + blockIdx.x * n;
  float most = -1e30f;
  for (int k = t; k < n; k += 256) most = fmaxf(most, row[k]);
  part[t] = most;
  for (int width = 128; width > 0; width /= 2) {
    __syncthreads();
    if (t < width) part[t] = fmaxf(part[t], part[t + width]);
  }
  __syncthreads();
  most = part[0];
  __syncthreads();
  float sum = 0;
  for (int k = t; k < n; k += 256) sum += expf(row[k] - most);
  part[t] = sum;
  for (int width = 128; width > 0; width /= 2) {
    __syncthreads();
    if (t < width) part[t] += part[t + width];
  }
  __syncthreads();
  float scale = 1 / part[0];
  for (int k = t; k < n; k += 256) out[blockIdx.x * n + k] = expf(row[k] - most) * scale;
}

// A step of Conway's game of life on a torus.
extern "C" __global__ void life(const int* in, int* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int left = (x + n - 1) % n, right = (x + 1) % n, up = (y + n - 1) % n, down = (y + 1) % n;
  int living = in[up * n + left] + in[up * n + x] + in[up * n + right] + in[y * n + left] + in[y * n + right] +
               in[down * n + left] + in[down * n + x] + in[down * n + right];
  out[y * n + x] = living == 3 || (living == 2 && in[y * n + x]);
}

// Points of random numbers inside the circle, 64 for each thread.
extern "C" __global__ void circle(int* inside) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = i * 2654435761u + 12345u;
  int count = 0;
  for (int k = 0; k < 64; ++k) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    float x = (state & 0xffff) * (1.0f / 65536), y = (state >> 16) * (1.0f / 65536);
    if (fmaf(x, x, y * y) < 1) ++count;
  }
  inside[i] = count;
}

// The nearest of 64 centres in two dimensions.
extern "C" __global__ void nearest(const float2* point, const float2* centre, int* which, int n) {
  __shared__ float2 near_by[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t < 64) near_by[t] = centre[t];
  __syncthreads();
  if (i >= n) return;
  float2 p = point[i];
  float least = 1e30f;
  int best = 0;
  for (int k = 0; k < 64; ++k) {
    float dx = p.x - near_by[k].x, dy = p.y - near_by[k].y, d = fmaf(dx, dx, dy * dy);
    if (d < least) least = d, best = k;
  }
  which[i] = best;
}

// Where each key stands in a sorted array of 2^16 numbers.
extern "C" __global__ void search(const int* sorted, const int* key, int* where, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int low = 0, high = 1 << 16, wanted = key[i];
  while (low < high) {
    int middle = (low + high) / 2;
    if (sorted[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  where[i] = low;
}
