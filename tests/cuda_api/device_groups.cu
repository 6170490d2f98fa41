// The device runtime's functions for grids: what cooperative groups of CUDA 9 and 10, and numba, call.
// link: -rdc=true -lcudadevrt
#include <cstdio>

struct Seen {
  unsigned threads, grids, rank, grid;
  int errors;
};

// In each of three rounds every block adds to a sum that all read after the barrier.
__global__ void rounds(unsigned* sums, Seen* seen, int* wrong) {
  unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned blocks = gridDim.x * gridDim.y * gridDim.z, of = blockDim.x * blockDim.y * blockDim.z;
  for (int k = 0; k < 3; ++k) {
    if (thread == 0) atomicAdd(&sums[k], block + 1);
    cudaError_t e = k < 2 ? cudaCGSynchronize(grid, 0) : cudaCGSynchronizeGrid(grid, 0);
    if (e != cudaSuccess || ((volatile unsigned*)sums)[k] != blocks * (blocks + 1) / 2) atomicAdd(wrong, 1);
  }
  Seen s = {};
  s.errors = cudaCGGetSize(&s.threads, &s.grids, grid) + cudaCGGetRank(&s.rank, &s.grid, grid);
  if (s.rank != block * of + thread) atomicAdd(wrong, 1);
  if (block == blocks - 1 && thread == of - 1) *seen = s;
}

__global__ void plain(Seen* seen) {
  unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
  seen->errors = (grid != 0) + 10 * (int)cudaCGSynchronize(grid, 0);
}

int main() {
  unsigned* sums;
  Seen* seen;
  int* wrong;
  cudaMallocManaged(&sums, 3 * sizeof *sums);
  cudaMallocManaged(&seen, sizeof *seen);
  cudaMallocManaged(&wrong, sizeof *wrong);
  void* arguments[] = {&sums, &seen, &wrong};
  std::printf("%d ",
              cudaLaunchCooperativeKernel((void*)rounds, dim3(3, 2, 2), dim3(8, 5, 2), arguments, 0, 0));
  std::printf("%d\n", cudaDeviceSynchronize());
  std::printf("wrong %d, %u threads of %u grid, last %u of grid %u, errors %d\n", *wrong, seen->threads,
              seen->grids, seen->rank, seen->grid, seen->errors);
  plain<<<1, 1>>>(seen);
  std::printf("%d ", cudaDeviceSynchronize());
  std::printf("%d\n", seen->errors);  // no grid to synchronise: cudaErrorInvalidValue
}
// expect: 0 0
// expect: wrong 0, 960 threads of 1 grid, last 959 of grid 0, errors 0
// expect: 0 10
