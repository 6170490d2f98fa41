// Machine learning: kernels that nothing was tuned on when they were added (2026-11-24).

// The nearest of 16 centres in 16 dimensions, points one behind another (k-means).
extern "C" __global__ void kmeans(const float* point, const float* centre, int* which, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float least = 1e30f;
  int best = 0;
  for (int c = 0; c < 16; ++c) {
    float distance = 0;
    for (int d = 0; d < 16; ++d) {
      float apart = point[i * 16 + d] - centre[c * 16 + d];
      distance = fmaf(apart, apart, distance);
    }
    if (distance < least) least = distance, best = c;
  }
  which[i] = best;
}

__device__ float sigmoid(float v) { return 1 / (1 + expf(-v)); }

// What an LSTM does with its four gates.
extern "C" __global__ void lstm(const float* gates, float* cell, float* hidden, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float in = sigmoid(gates[i]), forget = sigmoid(gates[n + i]), out = sigmoid(gates[3 * n + i]);
  float proposed = 2 * sigmoid(2 * gates[2 * n + i]) - 1;
  float c = forget * cell[i] + in * proposed;
  cell[i] = c;
  hidden[i] = out * (2 * sigmoid(2 * c) - 1);
}

// Rows of 512 brought to mean 0 and variance 1, a warp for each row.
extern "C" __global__ void layer_norm(const float* in, const float* scale, float* out, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0, squares = 0;
  for (int k = lane; k < 512; k += 32) {
    float v = in[row * 512 + k];
    sum += v;
    squares += v * v;
  }
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_xor_sync(0xffffffff, sum, step);
    squares += __shfl_xor_sync(0xffffffff, squares, step);
  }
  float mean = sum / 512, rate = 1 / sqrtf(squares / 512 - mean * mean + 1e-5f);
  for (int k = lane; k < 512; k += 32) out[row * 512 + k] = (in[row * 512 + k] - mean) * rate * scale[k];
}

// Products of 8 × 8 matrices, four to a block.
extern "C" __global__ void small_products(const float* a, const float* b, float* c) {
  __shared__ float left[4][8][8], right[4][8][8];
  int x = threadIdx.x, y = threadIdx.y, z = y / 8, row = y % 8, i = (blockIdx.x * 4 + z) * 64 + row * 8 + x;
  left[z][row][x] = a[i];
  right[z][row][x] = b[i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += left[z][row][k] * right[z][k][x];
  c[i] = sum;
}
