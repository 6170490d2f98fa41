// Kernels that nothing was tuned on when they were added (2026-11-23).

// How many steps until |z| > 2, at most 256: loops as long as each thread's own number.
__kernel void mandelbrot(__global int* steps, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float a = fma(x, 3.0f / 1024, -2.0f), b = fma(y, 2.0f / 1024, -1.0f), re = 0, im = 0;
  int k = 0;
  while (k < 256 && fma(re, re, im * im) <= 4.0f) {
    float next = fma(re, re, fma(-im, im, a));
    im = fma(2 * re, im, b);
    re = next;
    ++k;
  }
  steps[y * n + x] = k;
}

// Inner products of blocks of 4096 numbers, four numbers a load.
__kernel void products(__global const float4* a, __global const float4* b, __global float* out) {
  __local float part[256];
  int t = get_local_id(0);
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    float4 x = a[get_group_id(0) * 1024 + k * 256 + t], y = b[get_group_id(0) * 1024 + k * 256 + t];
    sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
  }
  part[t] = sum;
  for (int width = 128; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < width) part[t] += part[t + width];
  }
  if (t == 0) out[get_group_id(0)] = part[0];
}

// Matrix by vector: a block of 128 threads for each row.
__kernel void gemv(__global const float* a, __global const float* x, __global float* y, int n) {
  __local float part[128];
  int t = get_local_id(0);
  float sum = 0;
  for (int k = t; k < n; k += 128) sum += a[get_group_id(0) * n + k] * x[k];
  part[t] = sum;
  for (int width = 64; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < width) part[t] += part[t + width];
  }
  if (t == 0) y[get_group_id(0)] = part[0];
}

// Rows scaled so that their exponentials add up to 1.
__kernel void softmax(__global const float* in, __global float* out, int n) {
  __local float part[256];
  int t = get_local_id(0);
  __global const float* row = in + get_group_id(0) * n;
  float most = -1e30f;
  for (int k = t; k < n; k += 256) most = fmax(most, row[k]);
  part[t] = most;
  for (int width = 128; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < width) part[t] = fmax(part[t], part[t + width]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  most = part[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int k = t; k < n; k += 256) sum += exp(row[k] - most);
  part[t] = sum;
  for (int width = 128; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < width) part[t] += part[t + width];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float scale = 1 / part[0];
  for (int k = t; k < n; k += 256) out[get_group_id(0) * n + k] = exp(row[k] - most) * scale;
}

// A step of Conway's game of life on a torus.
__kernel void life(__global const int* in, __global int* out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  int left = (x + n - 1) % n, right = (x + 1) % n, up = (y + n - 1) % n, down = (y + 1) % n;
  int living = in[up * n + left] + in[up * n + x] + in[up * n + right] + in[y * n + left] + in[y * n + right] +
               in[down * n + left] + in[down * n + x] + in[down * n + right];
  out[y * n + x] = living == 3 || (living == 2 && in[y * n + x]);
}

// Points of random numbers inside the circle, 64 for each thread.
__kernel void circle(__global int* inside) {
  unsigned i = get_global_id(0), state = i * 2654435761u + 12345u;
  int count = 0;
  for (int k = 0; k < 64; ++k) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    float x = (state & 0xffff) * (1.0f / 65536), y = (state >> 16) * (1.0f / 65536);
    if (fma(x, x, y * y) < 1) ++count;
  }
  inside[i] = count;
}

// The nearest of 64 centres in two dimensions.
__kernel void nearest(__global const float2* point, __global const float2* centre, __global int* which, int n) {
  __local float2 near_by[64];
  int t = get_local_id(0), i = get_global_id(0);
  if (t < 64) near_by[t] = centre[t];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= n) return;
  float2 p = point[i];
  float least = 1e30f;
  int best = 0;
  for (int k = 0; k < 64; ++k) {
    float dx = p.x - near_by[k].x, dy = p.y - near_by[k].y, d = fma(dx, dx, dy * dy);
    if (d < least) least = d, best = k;
  }
  which[i] = best;
}

// Where each key stands in a sorted array of 2^16 numbers.
__kernel void search(__global const int* sorted, __global const int* key, __global int* where, int n) {
  int i = get_global_id(0);
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
