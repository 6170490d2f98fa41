// CUDA Runtime API: Execution Control.
#include <cstring>

#include "cuda/core/attributes.h"
#include "cuda/core/code.h"
#include "cuda/core/launch_request.h"
#include "cuda/core/operation.h"
#include "cuda/core/platform.h"
#include "cuda/core/registry.h"
#include "cuda/core/stream.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;

namespace {

Error launch_call(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t shared,
                  Stream* stream, bool cooperative, const LaunchAttribute* attributes = nullptr,
                  u32 count = 0, Function* (*find)(const void*) = function_of) {
  return api([&](DeviceContext& device) -> Error {
    LaunchOrder order{find(function), function, grid, block, shared, stream, cooperative};
    order.arguments = arguments, order.attributes = attributes, order.count = count;
    return order_launch(device, order);
  });
}

}  // namespace

WW_CUDA_API Error cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                   size_t shared, Stream* stream) {
  return launch_call(function, grid, block, arguments, shared, stream, false);
}
WW_CUDA_API Error __cudaLaunchKernel(Function* kernel, Dim3 grid, Dim3 block, void** arguments, size_t shared,
                                     Stream* stream) {
  return launch_call(kernel, grid, block, arguments, shared, stream, false, nullptr, 0, function_of_kernel);
}
WW_CUDA_API Error cudaLaunchCooperativeKernel(const void* function, Dim3 grid, Dim3 block, void** arguments,
                                              size_t shared, Stream* stream) {
  return launch_call(function, grid, block, arguments, shared, stream, true);
}
WW_CUDA_API Error cudaLaunchKernelExC(const LaunchConfig* config, const void* function, void** arguments) {
  if (!config) return here().last = Error::InvalidValue;
  return launch_call(function, config->grid, config->block, arguments, config->dynamic_shared, config->stream,
                     false, config->attributes, config->count);
}

WW_CUDA_API Error cudaLaunchKernelExC_ptsz(const LaunchConfig* config, const void* function,
                                           void** arguments) {
  if (!config || config->stream) return cudaLaunchKernelExC(config, function, arguments);
  LaunchConfig ours = *config;
  ours.stream = kPerThreadStream;
  return cudaLaunchKernelExC(&ours, function, arguments);
}

WW_CUDA_API Error cudaLaunchHostFunc(Stream* stream, void (*function)(void*), void* data) {
  return api([&](DeviceContext&) -> Error {
    if (!function) return Error::InvalidValue;
    return submit(stream, HostCall{function, data});
  });
}

WW_CUDA_API Error cudaFuncGetAttributes(FuncAttributes* attributes, const void* function) {
  return api([&](DeviceContext& device) -> Error {
    if (!attributes) return Error::InvalidValue;
    Function* f = function_of(function);
    if (!f) return no_function(function);
    FuncAttributes all{};
    if (Error e = function_attributes(device, *f, all); e != Error::Success) return e;
    // Before CUDA 12 the struct ended behind the carveout.
    std::memcpy(attributes, &all,
                Platform::get().runtime_version() >= 12000 ? sizeof all
                                                           : offsetof(FuncAttributes, cluster_must_be_set));
    return Error::Success;
  });
}
WW_CUDA_API Error cudaFuncSetAttribute(const void* function, int attribute, int value) {
  return api([&](DeviceContext& device) -> Error {
    Function* f = function_of(function);
    if (!f) return Error::InvalidDeviceFunction;
    return set_function_attribute(device, *f, attribute, value);
  });
}
WW_CUDA_API Error cudaFuncSetCacheConfig(const void* function, int config) {
  return api([&](DeviceContext&) -> Error {
    Function* f = function_of(function);
    if (!f) return Error::InvalidDeviceFunction;
    if (config < 0 || config > 3) return Error::InvalidValue;
    f->cache_config = config;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaFuncSetSharedMemConfig(const void* function, int config) {
  return api([&](DeviceContext&) -> Error {
    Function* f = function_of(function);
    if (!f) return Error::InvalidDeviceFunction;
    if (config < 0 || config > 2) return Error::InvalidValue;
    f->shared_config = config;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaFuncGetName(const char** name, const void* function) {
  return api([&](DeviceContext&) -> Error {
    if (!name) return Error::InvalidValue;
    Function* f = function_of(function);
    if (!f) return Error::InvalidDeviceFunction;
    *name = f->name.c_str();
    return Error::Success;
  });
}
WW_CUDA_API Error cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* bytes) {
  return api([&](DeviceContext& device) -> Error {
    Function* f = function_of(function);
    if (!f) return Error::InvalidDeviceFunction;
    const LoadedKernel* kernel = nullptr;
    if (Error e = loaded_kernel(device, *f, kernel); e != Error::Success) return e;
    const std::vector<Parameter>& parameters = kernel->parameters;
    if (!offset || index >= parameters.size()) return Error::InvalidValue;
    *offset = parameters[index].offset;
    if (bytes) *bytes = parameters[index].bytes;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGetFuncBySymbol(Function** function, const void* symbol) {
  return api([&](DeviceContext&) -> Error {
    if (!function) return Error::InvalidValue;
    *function = function_of(symbol);
    return *function ? Error::Success : Error::InvalidDeviceFunction;
  });
}
WW_CUDA_API Error cudaGetKernel(Function** kernel, const void* symbol) {
  return api([&](DeviceContext&) -> Error {
    if (!kernel) return Error::InvalidValue;
    *kernel = function_of(symbol);
    return *kernel ? Error::Success : Error::InvalidDeviceFunction;
  });
}
WW_CUDA_API Error cudaSetDoubleForDevice(double*) { return Error::Success; }
WW_CUDA_API Error cudaSetDoubleForHost(double*) { return Error::Success; }
