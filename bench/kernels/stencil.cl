__kernel void stencil(__global const float* in, __global float* out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int i = y * n + x;
  out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}

__kernel void box_sum(__global const float* in, __global float* out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      int u = x + dx, v = y + dy;
      if (u >= 0 && u < n && v >= 0 && v < n) sum += in[v * n + u];
    }
  out[y * n + x] = sum;
}

__kernel void transpose(__global const float* in, __global float* out, int n) {
  __local float tile[32][33];
  int x = get_local_id(0), y = get_local_id(1);
  for (int k = y; k < 32; k += 8) tile[k][x] = in[(get_group_id(1) * 32 + k) * n + get_group_id(0) * 32 + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = y; k < 32; k += 8) out[(get_group_id(0) * 32 + k) * n + get_group_id(1) * 32 + x] = tile[x][k];
}
