// Clusters that an H200 holds at once: those that no launch can have are refused, and the blocks of a cluster
// are on SMs of one GPC, of which it has six of 16 and two of 18 (data/measured/h200-l2).
#include <cstdio>

__global__ void whole_sm() { extern __shared__ char memory[]; }
__global__ void __cluster_dims__(4, 1, 1) by_four() { extern __shared__ char memory[]; }

template <class K>
static void ask(K kernel, unsigned size, unsigned grid = 1024) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {size, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = 1024, config.dynamicSmemBytes = 200 << 10;
  config.attrs = &attribute, config.numAttrs = size ? 1 : 0;
  int clusters = -1;
  const cudaError_t e = cudaOccupancyMaxActiveClusters(&clusters, (const void*)kernel, &config);
  if (e)
    std::printf("%u: %s\n", size, cudaGetErrorName(e));
  else
    std::printf("%u: %d\n", size, clusters);
  cudaGetLastError();
}

int main() {
  cudaFuncSetAttribute((const void*)whole_sm, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
  cudaFuncSetAttribute((const void*)by_four, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
  for (unsigned size : {1, 2, 4, 8, 16, 32}) ask(whole_sm, size);
  ask(whole_sm, 8, 1020);
  cudaFuncSetAttribute((const void*)whole_sm, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  ask(whole_sm, 16);
  ask(by_four, 0);
  ask(by_four, 2);
}
// expect: 1: 132
// expect: 2: 66
// expect: 4: 32
// expect: 8: 16
// expect: 16: cudaErrorInvalidClusterSize
// expect: 32: cudaErrorInvalidClusterSize
// expect: 8: cudaErrorInvalidClusterSize
// expect: 16: 8
// expect: 0: 32
// expect: 2: cudaErrorInvalidClusterSize
