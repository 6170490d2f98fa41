// CUDA Runtime API: Occupancy.
#include "cuda/core/attributes.h"
#include "cuda/core/code.h"
#include "cuda/core/platform.h"
#include "cuda/core/registry.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;

WW_CUDA_API Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                         int threads, size_t shared,
                                                                         u32 flags) {
  return api([&](DeviceContext& d) -> Error {
    if (!blocks || flags & ~1u) return Error::InvalidValue;
    Function* f = function_of(function);
    if (!f) return Error::InvalidDeviceFunction;
    return active_blocks(d, *f, threads, shared, *blocks);
  });
}
WW_CUDA_API Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                                int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}
WW_CUDA_API Error cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks,
                                                            int threads) {
  return api([&](DeviceContext& d) -> Error {
    if (!bytes || blocks <= 0 || threads <= 0) return Error::InvalidValue;
    Function* f = function_of(function);
    if (!f) return Error::InvalidDeviceFunction;
    // The largest amount with which that many blocks are still resident.
    size_t low = 0, high = d.shared_optin() + 1;
    int found = 0;
    if (Error e = active_blocks(d, *f, threads, 0, found); e != Error::Success) return e;
    if (found < blocks) return Error::InvalidValue;
    while (high - low > 1) {
      size_t middle = (low + high) / 2;
      (void)active_blocks(d, *f, threads, middle, found);
      (found >= blocks ? low : high) = middle;
    }
    *bytes = low;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaOccupancyMaxPotentialClusterSize(int* size, const void* function, const LaunchConfig*) {
  return api([&](DeviceContext& d) -> Error {
    if (!size) return Error::InvalidValue;
    Function* f = function_of(function);
    if (!f) return Error::InvalidDeviceFunction;
    *size = !d.gpu->at_least(9) ? 1 : f->non_portable_cluster ? 16 : 8;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                                 const LaunchConfig* config) {
  return api([&](DeviceContext& d) -> Error {
    if (!clusters || !config) return Error::InvalidValue;
    Function* f = function_of(function);
    if (!f) return Error::InvalidDeviceFunction;
    KernelCall call;
    call.function = f, call.grid = config->grid, call.block = config->block;
    call.shared = static_cast<u32>(config->dynamic_shared);
    for (u32 k = 0; k < config->count; ++k) apply_attribute(config->attributes[k], call);
    return active_clusters(d, call, *clusters);
  });
}
