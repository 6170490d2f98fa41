// Fields in space and dense linear algebra: kernels that nothing was tuned on when they were added (2026-11-24).

// Seven points in three dimensions; each thread walks through a column and keeps what it has read of it.
extern "C" __global__ void stencil3d(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int plane = n * n, i = plane + y * n + x;
  float below = in[i - plane], here = in[i];
  for (int z = 1; z < n - 1; ++z, i += plane) {
    float above = in[i + plane];
    out[i] = 0.4f * here + 0.1f * (below + above + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
    below = here;
    here = above;
  }
}

// A step of lattice Boltzmann in two dimensions, nine directions, on a torus.
extern "C" __global__ void lattice(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, cells = n * n;
  int left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;
  int up = (y == 0 ? n - 1 : y - 1) * n, down = (y == n - 1 ? 0 : y + 1) * n, here = y * n;
  float f0 = in[here + x], f1 = in[cells + here + left], f2 = in[2 * cells + up + x], f3 = in[3 * cells + here + right],
        f4 = in[4 * cells + down + x], f5 = in[5 * cells + up + left], f6 = in[6 * cells + up + right],
        f7 = in[7 * cells + down + right], f8 = in[8 * cells + down + left];
  float mass = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
  float u = (f1 + f5 + f8 - f3 - f6 - f7) / mass, v = (f2 + f5 + f6 - f4 - f7 - f8) / mass;
  float rest = 1 - 1.5f * (u * u + v * v), a = u + v, b = v - u;
  float near = mass / 9, far = mass / 36;
  out += here + x;
  out[0] = f0 + 0.6f * (4 * near * rest - f0);
  out[cells] = f1 + 0.6f * (near * (rest + 3 * u + 4.5f * u * u) - f1);
  out[2 * cells] = f2 + 0.6f * (near * (rest + 3 * v + 4.5f * v * v) - f2);
  out[3 * cells] = f3 + 0.6f * (near * (rest - 3 * u + 4.5f * u * u) - f3);
  out[4 * cells] = f4 + 0.6f * (near * (rest - 3 * v + 4.5f * v * v) - f4);
  out[5 * cells] = f5 + 0.6f * (far * (rest + 3 * a + 4.5f * a * a) - f5);
  out[6 * cells] = f6 + 0.6f * (far * (rest + 3 * b + 4.5f * b * b) - f6);
  out[7 * cells] = f7 + 0.6f * (far * (rest - 3 * a + 4.5f * a * a) - f7);
  out[8 * cells] = f8 + 0.6f * (far * (rest - 3 * b + 4.5f * b * b) - f8);
}

// Gauss: takes multiples of row k from the rows below it, right of column k.
extern "C" __global__ void eliminate(float* a, const float* factor, int n, int k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n - k || y >= n - 1 - k) return;
  a[(y + k + 1) * n + x + k] -= factor[y + k + 1] * a[k * n + x + k];
}

// Particles in a box of float64: each of 2048 is drawn by all others, which are read one behind another.
extern "C" __global__ void forces(const double* x, const double* y, double* fx, double* fy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double px = x[i], py = y[i], ax = 0, ay = 0;
  for (int k = 0; k < n; ++k) {
    double dx = x[k] - px, dy = y[k] - py, r = 1 / (dx * dx + dy * dy + 0.01);
    ax += dx * r;
    ay += dy * r;
  }
  fx[i] = ax;
  fy[i] = ay;
}
