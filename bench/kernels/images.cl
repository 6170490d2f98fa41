// Images: kernels that nothing was tuned on when they were added (2026-11-24).

// Edges of an image of bytes (Sobel); the border is left alone.
__kernel void sobel(__global const uchar* in, __global uchar* out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  __global const uchar *above = in + (y - 1) * n + x, *here = above + n, *below = here + n;
  int across = above[1] + 2 * here[1] + below[1] - above[-1] - 2 * here[-1] - below[-1];
  int down = below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
  int size = (across < 0 ? -across : across) + (down < 0 ? -down : down);
  out[y * n + x] = size > 255 ? 255 : size;
}

// A bilateral filter of radius 2: near pixels of like brightness count most.
__kernel void bilateral(__global const float* in, __global float* out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float centre = in[y * n + x], sum = 0, weights = 0;
  for (int v = -2; v <= 2; ++v)
    for (int u = -2; u <= 2; ++u) {
      int at_x = min(max(x + u, 0), n - 1), at_y = min(max(y + v, 0), n - 1);
      float value = in[at_y * n + at_x], differs = value - centre;
      float weight = exp(-0.125f * (u * u + v * v) - 8.0f * differs * differs);
      sum += weight * value;
      weights += weight;
    }
  out[y * n + x] = sum / weights;
}

// A convolution with 5 × 5 weights; each block keeps its tile with a halo of 2 in local memory.
__kernel void conv2d(__global const float* in, __global const float* weight, __global float* out, int n) {
  __local float tile[20][20];
  int tx = get_local_id(0), ty = get_local_id(1), left = get_group_id(0) * 16 - 2, top = get_group_id(1) * 16 - 2;
  for (int v = ty; v < 20; v += 16)
    for (int u = tx; u < 20; u += 16) {
      int x = left + u, y = top + v;
      tile[v][u] = x >= 0 && y >= 0 && x < n && y < n ? in[y * n + x] : 0;
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int v = 0; v < 5; ++v)
    for (int u = 0; u < 5; ++u) sum += weight[v * 5 + u] * tile[ty + v][tx + u];
  out[(top + 2 + ty) * n + left + 2 + tx] = sum;
}

// A histogram by atomics on global memory alone.
__kernel void count_values(__global const uchar* in, __global int* count, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_add(&count[in[i]], 1);
}
