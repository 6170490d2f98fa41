// The same counts, made by each block for itself in shared memory and added up in global memory at the end.
extern "C" __global__ void simt_atomic_shared(unsigned* counts, int n, int bins, unsigned by) {
  __shared__ unsigned mine[1024];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[i % bins], by);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], mine[b]);
}
