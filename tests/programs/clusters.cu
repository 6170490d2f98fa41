// Blocks of a cluster whose size only the launch says write into each other's shared memory. With `bug` they
// do not wait for each other before they read it. Compute capability 9.0.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void exchange(int* out, bool waits) {
  __shared__ int mine[32];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  cluster.sync();  // both have begun
  cluster.map_shared_rank(mine, rank ^ 1)[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
  if (waits) cluster.sync();
  out[blockIdx.x * 32 + threadIdx.x] = mine[threadIdx.x];
  cluster.sync();  // none ends while the other accesses it
}

int main(int argc, char**) {
  int* out;
  cudaMallocManaged(&out, 128 * sizeof *out);
  cudaLaunchAttribute cluster;
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 2, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t how = {};
  how.gridDim = 4, how.blockDim = 32, how.attrs = &cluster, how.numAttrs = 1;
  cudaLaunchKernelEx(&how, exchange, out, argc == 1);
  const cudaError_t ended = cudaDeviceSynchronize();
  std::printf("%d %d %d %d %s\n", out[0], out[33], out[66], out[127], cudaGetErrorString(ended));
}
