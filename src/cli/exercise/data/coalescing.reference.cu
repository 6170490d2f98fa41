extern "C" __global__ void twice_reference(float* out, const float* in, int n) {
  int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x;
  if (i < n * n) out[i] = in[i] + in[i];
}
