// Counts how many elements fall to each of `bins` counters, all of them in global memory: element i falls to i % bins.
extern "C" __global__ void simt_atomic_global(unsigned* counts, int n, int bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&counts[i % bins], 1u);
}
