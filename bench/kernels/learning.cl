// Machine learning: kernels that nothing was tuned on when they were added (2026-11-24).

// The nearest of 16 centres in 16 dimensions, points one behind another (k-means).
__kernel void kmeans(__global const float* point, __global const float* centre, __global int* which, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float least = 1e30f;
  int best = 0;
  for (int c = 0; c < 16; ++c) {
    float distance = 0;
    for (int d = 0; d < 16; ++d) {
      float apart = point[i * 16 + d] - centre[c * 16 + d];
      distance = fma(apart, apart, distance);
    }
    if (distance < least) least = distance, best = c;
  }
  which[i] = best;
}

float sigmoid(float v) { return 1 / (1 + exp(-v)); }

// What an LSTM does with its four gates.
__kernel void lstm(__global const float* gates, __global float* cell, __global float* hidden, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float in = sigmoid(gates[i]), forget = sigmoid(gates[n + i]), out = sigmoid(gates[3 * n + i]);
  float proposed = 2 * sigmoid(2 * gates[2 * n + i]) - 1;
  float c = forget * cell[i] + in * proposed;
  cell[i] = c;
  hidden[i] = out * (2 * sigmoid(2 * c) - 1);
}

// Rows of 512 brought to mean 0 and variance 1, 32 work items for each row, which add up in local memory.
__kernel void layer_norm(__global const float* in, __global const float* scale, __global float* out, int rows) {
  __local float sums[256], all_squares[256];
  int t = get_local_id(0), row = get_global_id(0) / 32, lane = t % 32;
  float sum = 0, squares = 0;
  for (int k = lane; k < 512; k += 32) {
    float v = in[row * 512 + k];
    sum += v;
    squares += v * v;
  }
  sums[t] = sum;
  all_squares[t] = squares;
  for (int step = 16; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < step) {
      sums[t] += sums[t + step];
      all_squares[t] += all_squares[t + step];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float mean = sums[t - lane] / 512, rate = 1 / sqrt(all_squares[t - lane] / 512 - mean * mean + 1e-5f);
  for (int k = lane; k < 512; k += 32) out[row * 512 + k] = (in[row * 512 + k] - mean) * rate * scale[k];
}

// Products of 8 × 8 matrices, four to a block.
__kernel void small_products(__global const float* a, __global const float* b, __global float* c) {
  __local float left[4][8][8], right[4][8][8];
  int x = get_local_id(0), y = get_local_id(1), z = y / 8, row = y % 8, i = (get_group_id(0) * 4 + z) * 64 + row * 8 + x;
  left[z][row][x] = a[i];
  right[z][row][x] = b[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += left[z][row][k] * right[z][k][x];
  c[i] = sum;
}
