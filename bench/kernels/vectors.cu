// One-dimensional kernels: saxpy, sums, prefix sums, prices of options.
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// Each block's sum of 8 × 256 elements, halving in shared memory.
extern "C" __global__ void sum(const float* in, float* out, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  float s = 0;
  for (int i = blockIdx.x * 2048 + t, k = 0; k < 8; ++k, i += 256) s += i < n ? in[i] : 0;
  part[t] = s;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// Prefix sums within each block of 512 (Hillis and Steele).
extern "C" __global__ void scan(const float* in, float* out, int n) {
  __shared__ float part[2][512];
  int t = threadIdx.x, i = blockIdx.x * 512 + t, from = 0;
  part[0][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < 512; step *= 2) {
    float v = part[from][t];
    if (t >= step) v += part[from][t - step];
    from = 1 - from;
    part[from][t] = v;
    __syncthreads();
  }
  if (i < n) out[i] = part[from][t];
}

__device__ float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float c = 0.39894228f * expf(-0.5f * d * d) *
            (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - c : c;
}

extern "C" __global__ void black_scholes(const float* price, const float* strike, const float* years, float* call, float* put,
                                         float rate, float volatility, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float root = sqrtf(years[i]);
  float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
  float d2 = d1 - volatility * root, now = strike[i] * expf(-rate * years[i]);
  call[i] = price[i] * normal(d1) - now * normal(d2);
  put[i] = now * (1.0f - normal(d2)) - price[i] * (1.0f - normal(d1));
}
