// CUDA Driver API: Execution Control, Occupancy.
#include "cuda/core/attributes.h"
#include "cuda/core/code.h"
#include "cuda/core/launch_request.h"
#include "cuda/core/library.h"
#include "cuda/core/registry.h"
#include "cuda/driver/call.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

namespace {

template <class F>
Error with_function(Function* function, F&& body) {
  return driver([&](DeviceContext& d) -> Error {
    Function* f = live_function(function);
    return f ? body(*f, d) : Error::InvalidResourceHandle;
  });
}
Error start(LaunchOrder order) {
  return driver([&](DeviceContext& d) -> Error {
    order.function = live_function(order.handle);
    return order.function ? order_launch(d, order) : Error::InvalidResourceHandle;
  });
}
LaunchConfig runtime_config(const DriverLaunchConfig& c) {
  return {c.grid, c.block, c.dynamic_shared, c.stream, c.attributes, c.count};
}

}  // namespace

WW_CUDA_API Error cuLaunchKernel(Function* function, u32 grid_x, u32 grid_y, u32 grid_z, u32 block_x,
                                 u32 block_y, u32 block_z, u32 shared, Stream* stream, void** arguments,
                                 void** extra) {
  LaunchOrder order{
      nullptr,   function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, false,
      arguments, extra};
  if (arguments && extra) return Error::InvalidValue;
  return start(order);
}
WW_CUDA_API Error cuLaunchKernelEx(const DriverLaunchConfig* config, Function* function, void** arguments,
                                   void** extra) {
  if (!config) return Error::InvalidValue;
  LaunchOrder order{nullptr,        function, config->grid, config->block, config->dynamic_shared,
                    config->stream, false,    arguments,    extra,         config->attributes,
                    config->count};
  return start(order);
}
WW_CUDA_API Error cuLaunchKernelEx_ptsz(const DriverLaunchConfig* config, Function* function,
                                        void** arguments, void** extra) {
  if (!config || config->stream) return cuLaunchKernelEx(config, function, arguments, extra);
  DriverLaunchConfig ours = *config;
  ours.stream = kPerThreadStream;
  return cuLaunchKernelEx(&ours, function, arguments, extra);
}
WW_CUDA_API Error cuLaunchCooperativeKernel(Function* function, u32 grid_x, u32 grid_y, u32 grid_z,
                                            u32 block_x, u32 block_y, u32 block_z, u32 shared, Stream* stream,
                                            void** arguments) {
  LaunchOrder order{nullptr, function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream,
                    true,    arguments};
  return start(order);
}
WW_FORWARD(cuLaunchHostFunc, cudaLaunchHostFunc, (Stream * stream, void (*function)(void*), void* data),
           (stream, function, data))

WW_CUDA_API Error cuFuncGetAttribute(int* value, int attribute, Function* function) {
  return with_function(function, [&](Function& f, DeviceContext& d) -> Error {
    return value ? function_attribute(d, f, attribute, *value) : Error::InvalidValue;
  });
}
WW_CUDA_API Error cuFuncSetAttribute(Function* function, int attribute, int value) {
  return with_function(function, [&](Function& f, DeviceContext& d) {
    return set_function_attribute(d, f, attribute, value);
  });
}
WW_FORWARD(cuFuncSetCacheConfig, cudaFuncSetCacheConfig, (Function * function, int config),
           (function, config))
WW_FORWARD(cuFuncSetSharedMemConfig, cudaFuncSetSharedMemConfig, (Function * function, int config),
           (function, config))
WW_FORWARD(cuFuncGetName, cudaFuncGetName, (const char** name, Function* function), (name, function))
WW_FORWARD(cuFuncGetParamInfo, cudaFuncGetParamInfo,
           (Function * function, size_t index, size_t* offset, size_t* bytes),
           (function, index, offset, bytes))
WW_CUDA_API Error cuFuncGetModule(CodeModule** module, Function* function) {
  return with_function(function, [&](Function& f, DeviceContext&) -> Error {
    if (!module) return Error::InvalidValue;
    *module = f.module;
    return Error::Success;
  });
}
WW_CUDA_API Error cuFuncIsLoaded(int* state, Function* function) {
  return with_function(function, [&](Function&, DeviceContext&) -> Error {
    if (!state) return Error::InvalidValue;
    *state = 1;
    return Error::Success;
  });
}
WW_CUDA_API Error cuFuncLoad(Function* function) {
  return with_function(function, [](Function& f, DeviceContext& d) {
    LoadedCode* code = nullptr;
    return f.module->on(d, code);
  });
}

// Occupancy.
WW_FORWARD(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
           cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
           (int* blocks, Function* function, int threads, size_t shared, u32 flags),
           (blocks, function, threads, shared, flags))
WW_CUDA_API Error cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function* function, int threads,
                                                              size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}
WW_FORWARD(cuOccupancyAvailableDynamicSMemPerBlock, cudaOccupancyAvailableDynamicSMemPerBlock,
           (size_t * bytes, Function* function, int blocks, int threads), (bytes, function, blocks, threads))
WW_CUDA_API Error cuOccupancyMaxPotentialClusterSize(int* size, Function* function,
                                                     const DriverLaunchConfig* config) {
  if (!config) return Error::InvalidValue;
  LaunchConfig c = runtime_config(*config);
  return as_runtime([&] { return cudaOccupancyMaxPotentialClusterSize(size, function, &c); });
}
WW_CUDA_API Error cuOccupancyMaxActiveClusters(int* clusters, Function* function,
                                               const DriverLaunchConfig* config) {
  if (!config) return Error::InvalidValue;
  LaunchConfig c = runtime_config(*config);
  return as_runtime([&] { return cudaOccupancyMaxActiveClusters(clusters, function, &c); });
}
/// The block size with the most resident threads, and of those with as many the largest; a multiple of a
/// warp.
WW_CUDA_API Error cuOccupancyMaxPotentialBlockSizeWithFlags(int* least_grid, int* block, Function* function,
                                                            size_t (*shared_of)(int), size_t shared,
                                                            int limit, u32 flags) {
  return with_function(function, [&](Function& f, DeviceContext& d) -> Error {
    if (!least_grid || !block || flags & ~1u) return Error::InvalidValue;
    FuncAttributes a;
    if (Error e = function_attributes(d, f, a); e != Error::Success) return e;
    const int most = limit > 0 ? std::min(limit, a.max_threads_per_block) : a.max_threads_per_block;
    int best_threads = 0;
    *block = *least_grid = 0;
    for (int size = (most + 31) / 32 * 32; size > 0; size -= 32) {
      const int threads = std::min(size, most);
      int blocks = 0;
      if (Error e = active_blocks(d, f, threads, shared_of ? shared_of(threads) : shared, blocks);
          e != Error::Success)
        return e;
      if (blocks * threads <= best_threads) continue;
      best_threads = blocks * threads;
      *block = threads;
      *least_grid = blocks * static_cast<int>(d.gpu->sm_count);
      if (best_threads >= static_cast<int>(d.gpu->max_threads_per_sm)) break;
    }
    return Error::Success;
  });
}
WW_CUDA_API Error cuOccupancyMaxPotentialBlockSize(int* least_grid, int* block, Function* function,
                                                   size_t (*shared_of)(int), size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(least_grid, block, function, shared_of, shared, limit, 0);
}
