// Every thread follows a chain of elements, each of which says where the next one is: nothing to do but wait for memory. Only
// other warps can fill the time. The dynamic shared memory of the launch is not used; it limits how many blocks an SM holds.
extern "C" __global__ void simt_latency(const float* next, float* out, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = i;
#pragma unroll 1
  for (int s = 0; s < steps; ++s) at = static_cast<int>(next[at]);
  out[i] = static_cast<float>(at);
}
