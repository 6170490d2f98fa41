__kernel void nbody(__global const float* bodies, __global float* out, int n) {
  __local float tile[4][256];
  int t = get_local_id(0), i = get_global_id(0);
  float x = bodies[4 * i], y = bodies[4 * i + 1], z = bodies[4 * i + 2], ax = 0, ay = 0, az = 0;
  for (int base = 0; base < n; base += 256) {
    for (int k = 0; k < 4; ++k) tile[k][t] = bodies[4 * (base + t) + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 256; ++j) {
      float dx = tile[0][j] - x, dy = tile[1][j] - y, dz = tile[2][j] - z;
      float r = native_rsqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
      float s = tile[3][j] * r * r * r;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[3 * i] = ax, out[3 * i + 1] = ay, out[3 * i + 2] = az;
}
