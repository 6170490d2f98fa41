__kernel void spmv(__global const int* start, __global const int* column, __global const float* value, __global const float* x,
                   __global float* y, int rows) {
  int r = get_global_id(0);
  if (r >= rows) return;
  float sum = 0;
  for (int k = start[r]; k < start[r + 1]; ++k) sum += value[k] * x[column[k]];
  y[r] = sum;
}

__kernel void bitonic(__global const uint* in, __global uint* out) {
  __local uint key[512];
  int t = get_local_id(0);
  for (int k = t; k < 512; k += 256) key[k] = in[get_group_id(0) * 512 + k];
  for (int size = 2; size <= 512; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int low = 2 * t - (t & (step - 1));
      bool up = (low & size) == 0;
      uint a = key[low], b = key[low + step];
      if ((a > b) == up) key[low] = b, key[low + step] = a;
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = t; k < 512; k += 256) out[get_group_id(0) * 512 + k] = key[k];
}

__kernel void fft(__global const float* in, __global float* out, __global const float* roots) {
  __local float re[2][256], im[2][256];
  int t = get_local_id(0), from = 0;
  for (int k = t; k < 256; k += 128) {
    re[0][k] = in[2 * (get_group_id(0) * 256 + k)];
    im[0][k] = in[2 * (get_group_id(0) * 256 + k) + 1];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int m = 1; m < 256; m *= 2) {
    int k = t & (m - 1), root = k * (128 / m), to = 2 * t - k;
    float ar = re[from][t], ai = im[from][t], br = re[from][t + 128], bi = im[from][t + 128];
    float wr = roots[2 * root], wi = roots[2 * root + 1];
    float cr = br * wr - bi * wi, ci = br * wi + bi * wr;
    from = 1 - from;
    re[from][to] = ar + cr, im[from][to] = ai + ci;
    re[from][to + m] = ar - cr, im[from][to + m] = ai - ci;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int k = t; k < 256; k += 128) {
    out[2 * (get_group_id(0) * 256 + k)] = re[from][k];
    out[2 * (get_group_id(0) * 256 + k) + 1] = im[from][k];
  }
}
