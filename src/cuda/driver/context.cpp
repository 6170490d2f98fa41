// CUDA Driver API: Context Management.
#include "cuda/core/backlog.h"
#include "cuda/core/stream.h"
#include "cuda/driver/call.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

namespace {
/// The context that a call names, or the current one where it names none.
template <class F>
Error with_context(Context* named, F&& body) {
  return driver_plain([&]() -> Error {
    Context* c = named ? named : current_context();
    if (!c || !is_context(c)) return Error::DeviceUninitialized;
    return body(*c);
  });
}
/// The same for the _v2 of two functions that named no context before CUDA 13. Who looks functions up by name
/// and takes a _v2 where there is one (numba does) calls them the old way: then what lies in the register is
/// no context, and the current one is meant.
template <class F>
Error with_context_if_any(Context* named, F&& body) {
  return with_context(is_context(named) ? named : nullptr, std::forward<F>(body));
}
}  // namespace

WW_CUDA_API Error cuCtxCreate_v2(Context** context, u32 flags, Device device) {
  return driver_device(device, [&](DeviceContext& d) -> Error {
    if (!context || flags & ~u32{0x1ff}) return Error::InvalidValue;
    *context = make_context(d, flags);
    push_context(*context);
    return Error::Success;
  });
}
WW_CUDA_API Error cuCtxCreate(Context** context, u32 flags, Device device) {
  return cuCtxCreate_v2(context, flags, device);
}
WW_CUDA_API Error cuCtxCreate_v3(Context** context, void*, int affinities, u32 flags, Device device) {
  return affinities ? Error::NotSupported : cuCtxCreate_v2(context, flags, device);
}
WW_CUDA_API Error cuCtxCreate_v4(Context** context, void* params, u32 flags, Device device) {
  // An affinity to a part of the GPU, or to a graphics API: neither is there.
  struct Params {
    void* affinities;
    int count;
    void* graphics;
  };
  if (auto* p = static_cast<Params*>(params); p && (p->count || p->graphics)) return Error::NotSupported;
  return cuCtxCreate_v2(context, flags, device);
}
WW_CUDA_API Error cuCtxDestroy_v2(Context* context) {
  return driver_plain([&] { return destroy_context(context); });
}
WW_CUDA_API Error cuCtxDestroy(Context* context) { return cuCtxDestroy_v2(context); }
WW_CUDA_API Error cuCtxPushCurrent_v2(Context* context) {
  return driver_plain([&]() -> Error {
    if (!is_context(context)) return Error::DeviceUninitialized;
    push_context(context);
    return Error::Success;
  });
}
WW_CUDA_API Error cuCtxPushCurrent(Context* context) { return cuCtxPushCurrent_v2(context); }
WW_CUDA_API Error cuCtxPopCurrent_v2(Context** context) {
  return driver_plain([&]() -> Error {
    if (!current_context()) return Error::DeviceUninitialized;
    Context* popped = pop_context();
    if (context) *context = popped;
    return Error::Success;
  });
}
WW_CUDA_API Error cuCtxPopCurrent(Context** context) { return cuCtxPopCurrent_v2(context); }
WW_CUDA_API Error cuCtxSetCurrent(Context* context) {
  return driver_plain([&]() -> Error {
    if (context && !is_context(context)) return Error::DeviceUninitialized;
    set_context(context);
    return Error::Success;
  });
}
WW_CUDA_API Error cuCtxGetCurrent(Context** context) {
  return driver_plain([&]() -> Error {
    if (!context) return Error::InvalidValue;
    *context = current_context();
    return Error::Success;
  });
}
WW_CUDA_API Error cuCtxAttach(Context** context, u32 flags) {
  return with_context(nullptr, [&](Context& c) -> Error {
    if (!context || flags) return Error::InvalidValue;
    ++c.uses;
    *context = &c;
    return Error::Success;
  });
}
WW_CUDA_API Error cuCtxDetach(Context* context) {
  return with_context(context,
                      [&](Context& c) { return --c.uses > 0 ? Error::Success : destroy_context(&c); });
}
WW_CUDA_API Error cuCtxGetDevice_v2(Device* device, Context* context) {
  return with_context_if_any(context, [&](Context& c) -> Error {
    if (!device) return Error::InvalidValue;
    *device = c.device->number;
    return Error::Success;
  });
}
WW_CUDA_API Error cuCtxGetDevice(Device* device) { return cuCtxGetDevice_v2(device, nullptr); }
WW_CUDA_API Error cuCtxGetFlags(u32* flags) {
  return with_context(nullptr, [&](Context& c) -> Error {
    if (!flags) return Error::InvalidValue;
    *flags = c.primary ? c.device->flags.load() : c.flags;
    return Error::Success;
  });
}
WW_CUDA_API Error cuCtxSetFlags(u32 flags) {
  return with_context(nullptr, [&](Context& c) -> Error {
    if (flags & ~u32{0x1ff}) return Error::InvalidValue;
    c.flags = flags;
    if (c.primary) c.device->flags = flags;
    return Error::Success;
  });
}
WW_CUDA_API Error cuCtxGetId(Context* context, unsigned long long* id) {
  return with_context(context, [&](Context& c) -> Error {
    if (!id) return Error::InvalidValue;
    *id = c.id;
    return Error::Success;
  });
}
WW_CUDA_API Error cuCtxGetApiVersion(Context* context, u32* version) {
  return with_context(context, [&](Context&) -> Error {
    if (!version) return Error::InvalidValue;
    *version = 3020;
    return Error::Success;
  });
}
WW_FORWARD(cuCtxSynchronize, cudaDeviceSynchronize, (), ())
WW_CUDA_API Error cuCtxSynchronize_v2(Context* context) {
  return with_context_if_any(context, [](Context& c) {
    Backlog::get().wait_for_all();
    host_waited_for_all();
    return synchronize(*c.device);
  });
}
WW_FORWARD(cuCtxSetLimit, cudaDeviceSetLimit, (int limit, size_t value), (limit, value))
WW_FORWARD(cuCtxGetLimit, cudaDeviceGetLimit, (size_t * value, int limit), (value, limit))
WW_FORWARD(cuCtxGetCacheConfig, cudaDeviceGetCacheConfig, (int* config), (config))
WW_FORWARD(cuCtxSetCacheConfig, cudaDeviceSetCacheConfig, (int config), (config))
WW_FORWARD(cuCtxGetSharedMemConfig, cudaDeviceGetSharedMemConfig, (int* config), (config))
WW_FORWARD(cuCtxSetSharedMemConfig, cudaDeviceSetSharedMemConfig, (int config), (config))
WW_FORWARD(cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange, (int* least, int* greatest),
           (least, greatest))
WW_CUDA_API Error cuCtxResetPersistingL2Cache() {
  return driver([](DeviceContext&) { return Error::Success; });
}
