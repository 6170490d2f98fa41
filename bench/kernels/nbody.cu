// Accelerations of n bodies (x, y, z, mass), tiles of 256 in shared memory.
extern "C" __global__ void nbody(const float* bodies, float* out, int n) {
  __shared__ float tile[4][256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float x = bodies[4 * i], y = bodies[4 * i + 1], z = bodies[4 * i + 2], ax = 0, ay = 0, az = 0;
  for (int base = 0; base < n; base += 256) {
    for (int k = 0; k < 4; ++k) tile[k][t] = bodies[4 * (base + t) + k];
    __syncthreads();
    for (int j = 0; j < 256; ++j) {
      float dx = tile[0][j] - x, dy = tile[1][j] - y, dz = tile[2][j] - z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
      float s = tile[3][j] * r * r * r;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    __syncthreads();
  }
  out[3 * i] = ax, out[3 * i + 1] = ay, out[3 * i + 2] = az;
}
