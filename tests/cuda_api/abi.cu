// Our structs (src/cuda/abi) against those of the installed CUDA 13: it compiles, or they differ.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>

#include "cuda/abi/device_prop.h"
#include "cuda/abi/graph.h"
#include "cuda/abi/texture.h"

#define SAME_SIZE(ours, theirs) static_assert(sizeof(ww::cuda::ours) == sizeof(theirs), #ours)
#define SAME_PLACE(ours, a, theirs, b) static_assert(offsetof(ww::cuda::ours, a) == offsetof(theirs, b), #ours "." #a)

SAME_SIZE(DeviceProp13, cudaDeviceProp);
SAME_PLACE(DeviceProp13, total_global_mem, cudaDeviceProp, totalGlobalMem);
SAME_PLACE(DeviceProp13, total_const_mem, cudaDeviceProp, totalConstMem);
SAME_PLACE(DeviceProp13, multi_processor_count, cudaDeviceProp, multiProcessorCount);
SAME_PLACE(DeviceProp13, max_texture_3d_alt, cudaDeviceProp, maxTexture3DAlt);
SAME_PLACE(DeviceProp13, max_surface_cubemap_layered, cudaDeviceProp, maxSurfaceCubemapLayered);
SAME_PLACE(DeviceProp13, concurrent_kernels, cudaDeviceProp, concurrentKernels);
SAME_PLACE(DeviceProp13, max_threads_per_multi_processor, cudaDeviceProp, maxThreadsPerMultiProcessor);
SAME_PLACE(DeviceProp13, shared_mem_per_multiprocessor, cudaDeviceProp, sharedMemPerMultiprocessor);
SAME_PLACE(DeviceProp13, cooperative_launch, cudaDeviceProp, cooperativeLaunch);
SAME_PLACE(DeviceProp13, shared_mem_per_block_optin, cudaDeviceProp, sharedMemPerBlockOptin);
SAME_PLACE(DeviceProp13, reserved_shared_mem_per_block, cudaDeviceProp, reservedSharedMemPerBlock);
SAME_PLACE(DeviceProp13, cluster_launch, cudaDeviceProp, clusterLaunch);
SAME_PLACE(DeviceProp13, host_numa_multinode_ipc, cudaDeviceProp, hostNumaMultinodeIpcSupported);
SAME_SIZE(Memcpy3D, cudaMemcpy3DParms);
SAME_PLACE(Memcpy3D, kind, cudaMemcpy3DParms, kind);
SAME_SIZE(Memcpy3DPeer, cudaMemcpy3DPeerParms);
SAME_SIZE(PointerAttributes, cudaPointerAttributes);
SAME_PLACE(PointerAttributes, host_pointer, cudaPointerAttributes, hostPointer);
SAME_SIZE(FuncAttributes, cudaFuncAttributes);
SAME_PLACE(FuncAttributes, registers, cudaFuncAttributes, numRegs);
SAME_PLACE(FuncAttributes, non_portable_cluster, cudaFuncAttributes, nonPortableClusterSizeAllowed);
SAME_SIZE(MemPoolProps, cudaMemPoolProps);
SAME_SIZE(MemAccessDesc, cudaMemAccessDesc);
SAME_SIZE(LaunchAttribute, cudaLaunchAttribute);
SAME_SIZE(LaunchConfig, cudaLaunchConfig_t);
SAME_PLACE(LaunchConfig, attributes, cudaLaunchConfig_t, attrs);
SAME_SIZE(ResourceDesc, cudaResourceDesc);
SAME_PLACE(ResourceDesc, pitch2d.pitch, cudaResourceDesc, res.pitch2D.pitchInBytes);
SAME_SIZE(TextureDesc, cudaTextureDesc);
SAME_PLACE(TextureDesc, normalized_coordinates, cudaTextureDesc, normalizedCoords);
SAME_SIZE(ResourceViewDesc, cudaResourceViewDesc);
SAME_SIZE(KernelNodeParams, cudaKernelNodeParams);
SAME_SIZE(MemsetParams, cudaMemsetParams);
SAME_SIZE(MemAllocNodeParams, cudaMemAllocNodeParams);
SAME_SIZE(GraphNodeParams, cudaGraphNodeParams);
SAME_PLACE(GraphNodeParams, kernel, cudaGraphNodeParams, kernel);
SAME_SIZE(GraphInstantiateParams, cudaGraphInstantiateParams);
SAME_SIZE(GraphExecUpdateResultInfo, cudaGraphExecUpdateResultInfo);
static_assert(int(ww::cuda::Error::NotSupported) == cudaErrorNotSupported);
static_assert(int(ww::cuda::Error::InvalidClusterSize) == cudaErrorInvalidClusterSize);

int main() { std::puts("same"); }
// expect: same
