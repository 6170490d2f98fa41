// Kernels of many kinds that nothing was tuned on when they were added (2026-11-24, evening).

// Factors 8 × 8 matrices (LU without pivots), one for each thread; element k of all of them lies together.
extern "C" __global__ void small_lu(const float* a, float* out, int count) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  float m[8][8];
  for (int k = 0; k < 64; ++k) m[k / 8][k % 8] = a[k * count + t];
  for (int k = 0; k < 8; ++k)
    for (int row = k + 1; row < 8; ++row) {
      float factor = m[row][k] / m[k][k];
      m[row][k] = factor;
      for (int column = k + 1; column < 8; ++column) m[row][column] -= factor * m[k][column];
    }
  for (int k = 0; k < 64; ++k) out[k * count + t] = m[k / 8][k % 8];
}

// A 3 × 3 convolution of 16 channels to 16, n × n pixels, edges left alone; a thread for a pixel of a
// channel.
extern "C" __global__ void conv_channels(const float* in, const float* weight, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  int y = row % n, to = row / n;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  float sum = 0;
  for (int from = 0; from < 16; ++from)
    for (int v = 0; v < 3; ++v)
      for (int u = 0; u < 3; ++u)
        sum += weight[((to * 16 + from) * 3 + v) * 3 + u] * in[(from * n + y + v - 1) * n + x + u - 1];
  out[(to * n + y) * n + x] = sum;
}

__device__ float fade(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }
__device__ float mix(float a, float b, float t) { return a + t * (b - a); }
__device__ float slope(int hash, float x, float y) {
  float u = hash & 4 ? y : x, v = hash & 4 ? x : y;
  return (hash & 1 ? -u : u) + (hash & 2 ? -2 * v : 2 * v);
}

// Perlin's noise in two dimensions, four octaves.
extern "C" __global__ void noise(const int* table, float* out, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0, share = 1, x = column * (5.0f / n), y = row * (5.0f / n);
  for (int octave = 0; octave < 4; ++octave) {
    float left = floorf(x), top = floorf(y), u = x - left, v = y - top;
    int i = (int)left & 255, j = (int)top & 255;
    int a = table[i] + j, b = table[i + 1] + j;
    float s = fade(u), t = fade(v);
    sum += share * mix(mix(slope(table[a], u, v), slope(table[b], u - 1, v), s),
                       mix(slope(table[a + 1], u, v - 1), slope(table[b + 1], u - 1, v - 1), s), t);
    share *= 0.5f, x *= 2, y *= 2;
  }
  out[row * n + column] = sum;
}

__device__ void order(int& a, int& b) {
  int low = min(a, b);
  b = max(a, b);
  a = low;
}

// The median of the 3 × 3 bytes around each, the edge repeated.
extern "C" __global__ void median(const unsigned char* in, unsigned char* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, p[9];
  for (int v = 0; v < 3; ++v)
    for (int u = 0; u < 3; ++u)
      p[3 * v + u] = in[min(max(y + v - 1, 0), n - 1) * n + min(max(x + u - 1, 0), n - 1)];
  order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]), order(p[0], p[1]), order(p[3], p[4]);
  order(p[6], p[7]), order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]), order(p[0], p[3]);
  order(p[5], p[8]), order(p[4], p[7]), order(p[3], p[6]), order(p[1], p[4]), order(p[2], p[5]);
  order(p[4], p[7]), order(p[4], p[2]), order(p[6], p[4]), order(p[4], p[2]);
  out[y * n + x] = p[4];
}

// Merges two sorted lists of n: each thread finds where its 8 results begin, then takes one after another.
extern "C" __global__ void merge(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  int begin = (blockIdx.x * blockDim.x + threadIdx.x) * 8, low = max(0, begin - n), high = min(begin, n);
  while (low < high) {
    int middle = (low + high) / 2;
    if (a[middle] <= b[begin - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, j = begin - low;
  for (int k = 0; k < 8; ++k) {
    bool first = j >= n || (i < n && a[i] <= b[j]);
    out[begin + k] = first ? a[i] : b[j];
    first ? ++i : ++j;
  }
}

// The cheapest ways down 16 rows, of which each step goes straight or to a neighbour; blocks overlap by 16 on
// each side.
extern "C" __global__ void cheapest(const int* cost, const int* before, int* after, int n) {
  __shared__ int sum[2][256];
  int t = threadIdx.x, x = blockIdx.x * 224 + t - 16, from = 0;
  bool inside = x >= 0 && x < n;
  sum[0][t] = inside ? before[x] : 1 << 28;
  __syncthreads();
  for (int row = 0; row < 16; ++row) {
    int best = sum[from][t];
    if (t > 0) best = min(best, sum[from][t - 1]);
    if (t < 255) best = min(best, sum[from][t + 1]);
    sum[1 - from][t] = inside ? best + cost[row * n + x] : 1 << 28;
    from = 1 - from;
    __syncthreads();
  }
  if (inside && t >= 16 && t < 240) after[x] = sum[from][t];
}
