// Cooperative groups as nvcc compiles them: a barrier over the grid, and tiles of more threads than a warp has.
// nvcc -std=c++17 -arch=compute_90 -ptx cooperative.cu (CUDA 13.0)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// Every block adds its number to its cell, then all cells are summed by all blocks: out[b] = 0 + 1 + … + (blocks - 1).
extern "C" __global__ void grid_sync(int* cells, int* out) {
  cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) cells[blockIdx.x] = static_cast<int>(blockIdx.x);
  grid.sync();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += cells[b];
    out[blockIdx.x] = sum;
  }
  grid.sync();
  if (threadIdx.x == 0 && blockIdx.x == 0) cells[0] = static_cast<int>(grid.is_valid());
}

// Sums over tiles of 64 and of 128 threads.
extern "C" __global__ void tiles(const int* in, int* out64, int* out128) {
  cg::thread_block block = cg::this_thread_block();
  int value = in[threadIdx.x];
  auto small = cg::tiled_partition<64>(block);
  out64[threadIdx.x] = cg::reduce(small, value, cg::plus<int>());
  auto large = cg::tiled_partition<128>(block);
  large.sync();
  out128[threadIdx.x] = cg::reduce(large, value, cg::plus<int>());
}

// The clusters' groups: every thread reads the value of its twin in the next block of the cluster.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster(const int* in, int* out) {
  __shared__ int values[32];
  cg::cluster_group all = cg::this_cluster();
  values[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
  all.sync();
  const int* other = all.map_shared_rank(values, (all.block_rank() + 1) % all.num_blocks());
  out[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x] + static_cast<int>(1000 * all.num_threads());
  all.sync();
}
