// Counts how many elements fall to each of `bins` counters, all of them in global memory: element i falls to i % bins. What is
// added is an argument: for a 1 that it knows, the compiler takes an instruction that counts lanes in one go.
extern "C" __global__ void simt_atomic_global(unsigned* counts, int n, int bins, unsigned by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&counts[i % bins], by);
}
