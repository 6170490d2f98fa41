// out[(n−2R)²]: each element is the sum of the (2R+1)² elements of in[n²] around it, straight from global
// memory.
//
// A thread computes K outputs one below another, so that neighbouring lanes read neighbouring words; every
// output loads all its inputs anew. Any n > 2R, any block size.

extern "C" __global__ void box_sum_direct(const float* in, float* out, int n, int r, int k) {
  const int side = n - 2 * r;  // of the output
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = (blockIdx.y * blockDim.y + threadIdx.y) * k;
  if (x >= side) return;
  for (int y = first; y < first + k && y < side; ++y) {
    float sum = 0;
    for (int dy = 0; dy <= 2 * r; ++dy)
      for (int dx = 0; dx <= 2 * r; ++dx) sum += in[(y + dy) * n + x + dx];
    out[y * side + x] = sum;
  }
}
