extern "C" __global__ void reverse_reference(float* out, const float* in) {
  out[blockIdx.x * 128 + threadIdx.x] = in[blockIdx.x * 128 + 127 - threadIdx.x];
}
