__kernel void saxpy(__global const float* x, __global float* y, float a, int n) {
  int i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}

__kernel void sum(__global const float* in, __global float* out, int n) {
  __local float part[256];
  int t = get_local_id(0);
  float s = 0;
  for (int i = get_group_id(0) * 2048 + t, k = 0; k < 8; ++k, i += 256) s += i < n ? in[i] : 0;
  part[t] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_ = 128; half_ > 0; half_ /= 2) {
    if (t < half_) part[t] += part[t + half_];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = part[0];
}

__kernel void scan(__global const float* in, __global float* out, int n) {
  __local float part[2][512];
  int t = get_local_id(0), i = get_group_id(0) * 512 + t, from = 0;
  part[0][t] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < 512; step *= 2) {
    float v = part[from][t];
    if (t >= step) v += part[from][t - step];
    from = 1 - from;
    part[from][t] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n) out[i] = part[from][t];
}

float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float c = 0.39894228f * exp(-0.5f * d * d) *
            (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - c : c;
}

__kernel void black_scholes(__global const float* price, __global const float* strike, __global const float* years,
                            __global float* call, __global float* put, float rate, float volatility, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float root = sqrt(years[i]);
  float d1 = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
  float d2 = d1 - volatility * root, now = strike[i] * exp(-rate * years[i]);
  call[i] = price[i] * normal(d1) - now * normal(d2);
  put[i] = now * (1.0f - normal(d2)) - price[i] * (1.0f - normal(d1));
}
