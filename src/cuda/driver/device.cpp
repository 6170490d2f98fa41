// CUDA Driver API: Initialization, Version Management, Device Management, Primary Context Management, Peer
// Context Memory Access, Profiler Control.
#include <algorithm>
#include <cstring>

#include "cuda/abi/device_prop.h"
#include "cuda/core/device_facts.h"
#include "cuda/driver/call.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

namespace {
/// Calls of the runtime that ask for no context.
template <class F>
Error as_runtime_without_context(F&& call) {
  return driver_plain([&]() -> Error {
    const Error last = here().last;
    Error e = call();
    here().last = last;
    return e;
  });
}
}  // namespace

WW_CUDA_API Error cuInit(u32 flags) {
  if (flags) return Error::InvalidValue;
  if (!Platform::get().device_count()) return Error::NoDevice;
  set_driver_ready();
  return Error::Success;
}
WW_CUDA_API Error cuDriverGetVersion(int* version) {
  if (!version) return Error::InvalidValue;
  *version = 13000;
  return Error::Success;
}

WW_CUDA_API Error cuDeviceGet(Device* device, int number) {
  return driver_device(number, [&](DeviceContext&) -> Error {
    if (!device) return Error::InvalidValue;
    *device = number;
    return Error::Success;
  });
}
WW_CUDA_API Error cuDeviceGetCount(int* count) {
  return driver_plain([&]() -> Error {
    if (!count) return Error::InvalidValue;
    *count = static_cast<int>(Platform::get().device_count());
    return Error::Success;
  });
}
WW_CUDA_API Error cuDeviceGetName(char* name, int length, Device device) {
  return driver_device(device, [&](DeviceContext& d) -> Error {
    if (!name || length <= 0) return Error::InvalidValue;
    std::strncpy(name, device_name(d).c_str(), static_cast<size_t>(length) - 1);
    name[length - 1] = 0;
    return Error::Success;
  });
}
WW_CUDA_API Error cuDeviceGetUuid_v2(Uuid* uuid, Device device) {
  return driver_device(device, [&](DeviceContext& d) -> Error {
    if (!uuid) return Error::InvalidValue;
    DeviceProp13 p;
    properties_13(d, &p);
    *uuid = p.uuid;
    return Error::Success;
  });
}
WW_CUDA_API Error cuDeviceGetUuid(Uuid* uuid, Device device) { return cuDeviceGetUuid_v2(uuid, device); }
WW_CUDA_API Error cuDeviceTotalMem_v2(size_t* bytes, Device device) {
  return driver_device(device, [&](DeviceContext& d) -> Error {
    if (!bytes) return Error::InvalidValue;
    *bytes = d.memory_bytes;
    return Error::Success;
  });
}
WW_CUDA_API Error cuDeviceGetAttribute(int* value, int attribute, Device device) {
  return driver_device(device, [&](DeviceContext& d) -> Error {
    return value ? device_attribute(d, attribute, *value) : Error::InvalidValue;
  });
}
WW_CUDA_API Error cuDeviceComputeCapability(int* major, int* minor, Device device) {
  return driver_device(device, [&](DeviceContext& d) -> Error {
    if (!major || !minor) return Error::InvalidValue;
    *major = static_cast<int>(d.gpu->cc_major), *minor = static_cast<int>(d.gpu->cc_minor);
    return Error::Success;
  });
}
WW_CUDA_API Error cuDeviceGetProperties(DriverDeviceProperties* p, Device device) {
  return driver_device(device, [&](DeviceContext& d) -> Error {
    if (!p) return Error::InvalidValue;
    int all[15] = {};
    for (int k = 1; k < 15; ++k) (void)device_attribute(d, k, all[k]);
    *p = {all[1],
          {all[2], all[3], all[4]},
          {all[5], all[6], all[7]},
          all[8],
          all[9],
          all[10],
          all[11],
          all[12],
          all[13],
          all[14]};
    return Error::Success;
  });
}
WW_CUDA_API Error cuDeviceGetTexture1DLinearMaxWidth(size_t* width, int, u32, Device device) {
  return as_runtime_without_context(
      [&] { return cudaDeviceGetTexture1DLinearMaxWidth(width, nullptr, device); });
}
WW_CUDA_API Error cuDeviceGetPCIBusId(char* text, int length, Device device) {
  return as_runtime_without_context([&] { return cudaDeviceGetPCIBusId(text, length, device); });
}
WW_CUDA_API Error cuDeviceGetByPCIBusId(Device* device, const char* id) {
  return as_runtime_without_context([&] { return cudaDeviceGetByPCIBusId(device, id); });
}
WW_CUDA_API Error cuDeviceGetExecAffinitySupport(int* yes, int, Device device) {
  return driver_device(device, [&](DeviceContext&) -> Error {
    if (!yes) return Error::InvalidValue;
    *yes = 0;
    return Error::Success;
  });
}
WW_CUDA_API Error cuFlushGPUDirectRDMAWrites(int, int) { return Error::Success; }

// Primary contexts.
WW_CUDA_API Error cuDevicePrimaryCtxRetain(Context** context, Device device) {
  return driver_device(device, [&](DeviceContext& d) -> Error {
    if (!context) return Error::InvalidValue;
    *context = &primary_context(d);
    ++d.retained;
    d.active = true;
    return Error::Success;
  });
}
WW_CUDA_API Error cuDevicePrimaryCtxRelease_v2(Device device) {
  return driver_device(device, [&](DeviceContext& d) -> Error {
    u32 uses = d.retained;
    while (uses && !d.retained.compare_exchange_weak(uses, uses - 1)) {
    }
    // CUDA_ERROR_INVALID_CONTEXT, unless the runtime holds it.
    if (!uses) return d.active ? Error::Success : Error::DeviceUninitialized;
    return Error::Success;
  });
}
WW_CUDA_API Error cuDevicePrimaryCtxRelease(Device device) { return cuDevicePrimaryCtxRelease_v2(device); }
WW_CUDA_API Error cuDevicePrimaryCtxSetFlags_v2(Device device, u32 flags) {
  return driver_device(device, [&](DeviceContext& d) -> Error {
    if (flags & ~u32{0x1ff}) return Error::InvalidValue;
    d.flags = flags;
    return Error::Success;
  });
}
WW_CUDA_API Error cuDevicePrimaryCtxSetFlags(Device device, u32 flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}
WW_CUDA_API Error cuDevicePrimaryCtxGetState(Device device, u32* flags, int* active) {
  return driver_device(device, [&](DeviceContext& d) -> Error {
    if (!flags || !active) return Error::InvalidValue;
    *flags = d.flags;
    *active = d.active;
    return Error::Success;
  });
}
WW_CUDA_API Error cuDevicePrimaryCtxReset_v2(Device device) {
  return driver_device(device, [&](DeviceContext& d) -> Error {
    Platform::get().reset(d);
    return Error::Success;
  });
}
WW_CUDA_API Error cuDevicePrimaryCtxReset(Device device) { return cuDevicePrimaryCtxReset_v2(device); }

// Peers.
WW_CUDA_API Error cuDeviceCanAccessPeer(int* can, Device device, Device peer) {
  return as_runtime_without_context([&] { return cudaDeviceCanAccessPeer(can, device, peer); });
}
WW_CUDA_API Error cuDeviceGetP2PAttribute(int* value, int attribute, Device from, Device to) {
  return as_runtime_without_context([&] { return cudaDeviceGetP2PAttribute(value, attribute, from, to); });
}
WW_CUDA_API Error cuCtxEnablePeerAccess(Context* peer, u32 flags) {
  if (!is_context(peer)) return Error::DeviceUninitialized;
  return as_runtime([&] { return cudaDeviceEnablePeerAccess(peer->device->number, flags); });
}
WW_CUDA_API Error cuCtxDisablePeerAccess(Context* peer) {
  if (!is_context(peer)) return Error::DeviceUninitialized;
  return as_runtime([&] { return cudaDeviceDisablePeerAccess(peer->device->number); });
}

WW_CUDA_API Error cuProfilerStart() { return Error::Success; }
WW_CUDA_API Error cuProfilerStop() { return Error::Success; }
