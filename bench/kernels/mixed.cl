// Kernels of many kinds that nothing was tuned on when they were added (2026-11-24, evening).

// Factors 8 × 8 matrices (LU without pivots), one for each thread; element k of all of them lies together.
__kernel void small_lu(__global const float* a, __global float* out, int count) {
  int t = get_global_id(0);
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

// A 3 × 3 convolution of 16 channels to 16, n × n pixels, edges left alone; a thread for a pixel of a channel.
__kernel void conv_channels(__global const float* in, __global const float* weight, __global float* out, int n) {
  int x = get_global_id(0), row = get_global_id(1);
  int y = row % n, to = row / n;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  float sum = 0;
  for (int from = 0; from < 16; ++from)
    for (int v = 0; v < 3; ++v)
      for (int u = 0; u < 3; ++u)
        sum += weight[((to * 16 + from) * 3 + v) * 3 + u] * in[(from * n + y + v - 1) * n + x + u - 1];
  out[(to * n + y) * n + x] = sum;
}

float fade(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }
float blend(float a, float b, float t) { return a + t * (b - a); }
float slope(int hash, float x, float y) {
  float u = hash & 4 ? y : x, v = hash & 4 ? x : y;
  return (hash & 1 ? -u : u) + (hash & 2 ? -2 * v : 2 * v);
}

// Perlin's noise in two dimensions, four octaves.
__kernel void noise(__global const int* table, __global float* out, int n) {
  int column = get_global_id(0), row = get_global_id(1);
  float sum = 0, share = 1, x = column * (5.0f / n), y = row * (5.0f / n);
  for (int octave = 0; octave < 4; ++octave) {
    float left = floor(x), top = floor(y), u = x - left, v = y - top;
    int i = (int)left & 255, j = (int)top & 255;
    int a = table[i] + j, b = table[i + 1] + j;
    float s = fade(u), t = fade(v);
    sum += share * blend(blend(slope(table[a], u, v), slope(table[b], u - 1, v), s),
                         blend(slope(table[a + 1], u, v - 1), slope(table[b + 1], u - 1, v - 1), s), t);
    share *= 0.5f, x *= 2, y *= 2;
  }
  out[row * n + column] = sum;
}

void order(int* a, int* b) {
  int low = min(*a, *b);
  *b = max(*a, *b);
  *a = low;
}

// The median of the 3 × 3 bytes around each, the edge repeated.
__kernel void median(__global const uchar* in, __global uchar* out, int n) {
  int x = get_global_id(0), y = get_global_id(1), p[9];
  for (int v = 0; v < 3; ++v)
    for (int u = 0; u < 3; ++u)
      p[3 * v + u] = in[min(max(y + v - 1, 0), n - 1) * n + min(max(x + u - 1, 0), n - 1)];
  order(&p[1], &p[2]), order(&p[4], &p[5]), order(&p[7], &p[8]), order(&p[0], &p[1]), order(&p[3], &p[4]);
  order(&p[6], &p[7]), order(&p[1], &p[2]), order(&p[4], &p[5]), order(&p[7], &p[8]), order(&p[0], &p[3]);
  order(&p[5], &p[8]), order(&p[4], &p[7]), order(&p[3], &p[6]), order(&p[1], &p[4]), order(&p[2], &p[5]);
  order(&p[4], &p[7]), order(&p[4], &p[2]), order(&p[6], &p[4]), order(&p[4], &p[2]);
  out[y * n + x] = p[4];
}

// Merges two sorted lists of n: each thread finds where its 8 results begin, then takes one after another.
__kernel void merge(__global const uint* a, __global const uint* b, __global uint* out, int n) {
  int begin = get_global_id(0) * 8, low = max(0, begin - n), high = min(begin, n);
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
    if (first) ++i; else ++j;
  }
}

// The cheapest ways down 16 rows, of which each step goes straight or to a neighbour; groups overlap by 16 on each side.
__kernel void cheapest(__global const int* cost, __global const int* before, __global int* after, int n) {
  __local int sum[2][256];
  int t = get_local_id(0), x = get_group_id(0) * 224 + t - 16, from = 0;
  bool inside = x >= 0 && x < n;
  sum[0][t] = inside ? before[x] : 1 << 28;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int row = 0; row < 16; ++row) {
    int best = sum[from][t];
    if (t > 0) best = min(best, sum[from][t - 1]);
    if (t < 255) best = min(best, sum[from][t + 1]);
    sum[1 - from][t] = inside ? best + cost[row * n + x] : 1 << 28;
    from = 1 - from;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (inside && t >= 16 && t < 240) after[x] = sum[from][t];
}
