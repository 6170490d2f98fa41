// Work of any length on every element, for copies to overlap with: `steps` dependent multiply-adds.
extern "C" __global__ void host_memory_chain(float* data, unsigned n, unsigned steps) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = data[i];
  for (unsigned s = 0; s < steps; ++s) x = fmaf(x, -0.999f, 0.25f);
  data[i] = x;
}
