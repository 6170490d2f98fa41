// CUDA Runtime API: Device Management.
#include <fmt/format.h>

#include <cstring>

#include "cuda/core/backlog.h"
#include "cuda/core/context.h"
#include "cuda/core/device_facts.h"
#include "cuda/core/graph.h"
#include "cuda/core/platform.h"
#include "cuda/core/stream.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;

namespace {

/// Calls about devices initialize the driver, though they make no context: PyTorch counts devices and then
/// asks the driver for the state of contexts.
template <class F>
Error about_devices(F&& body) {
  if (!Platform::get().inherited()) set_driver_ready();
  return plain_api(body);
}

/// Calls that name a device by number.
template <class F>
Error with_device(int number, F&& body) {
  return about_devices([&]() -> Error {
    if (Platform::get().device_count() == 0) return Error::NoDevice;
    DeviceContext* d = Platform::get().device(number);
    return d ? body(*d) : Error::InvalidDevice;
  });
}

}  // namespace

WW_CUDA_API Error cudaGetDeviceCount(int* count) {
  return about_devices([&]() -> Error {
    if (!count) return Error::InvalidValue;
    *count = static_cast<int>(Platform::get().device_count());
    return *count ? Error::Success : Error::NoDevice;
  });
}
WW_CUDA_API Error cudaGetDevice(int* device) {
  return about_devices([&]() -> Error {
    if (!device) return Error::InvalidValue;
    *device = here().device;
    return Platform::get().device_count() ? Error::Success : Error::NoDevice;
  });
}
WW_CUDA_API Error cudaSetDevice(int device) {
  return with_device(device, [&](DeviceContext& d) -> Error {
    here().device = device;
    here().runtime = d.active = true;
    if (!here().contexts.empty()) set_context(&primary_context(d));
    return d.sticky;
  });
}
WW_CUDA_API Error cudaInitDevice(int device, u32 flags, u32 set) {
  return with_device(device, [&](DeviceContext& d) -> Error {
    d.active = true;
    if (set & 1) d.flags = flags;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaSetValidDevices(int* list, int count) {
  return about_devices([&]() -> Error {
    if (count < 0 || (count && !list)) return Error::InvalidValue;
    for (int k = 0; k < count; ++k)
      if (!Platform::get().device(list[k])) return Error::InvalidDevice;
    if (count) here().device = list[0];
    return Error::Success;
  });
}
WW_CUDA_API Error cudaChooseDevice(int* device, const void*) {
  return about_devices([&]() -> Error {
    if (!device) return Error::InvalidValue;
    *device = 0;
    return Platform::get().device_count() ? Error::Success : Error::NoDevice;
  });
}
WW_CUDA_API Error cudaGetDeviceFlags(u32* flags) {
  return api([&](DeviceContext& d) -> Error {
    if (!flags) return Error::InvalidValue;
    *flags = d.flags | 8;  // cudaDeviceMapHost is always on
    return Error::Success;
  });
}
WW_CUDA_API Error cudaSetDeviceFlags(u32 flags) {
  return about_devices([&]() -> Error {
    if (!Platform::get().device_count()) return Error::NoDevice;
    // Scheduling takes one value of four; beside it map, resize and sync memops.
    if (flags & ~u32{0xff} || ((flags & 7) != 0 && (flags & 7) != 1 && (flags & 7) != 2 && (flags & 7) != 4))
      return Error::InvalidValue;
    Platform::get().current().flags = flags;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceSynchronize() {
  return api([&](DeviceContext& d) -> Error {
    if (capture_forbids_unsafe_calls()) return Error::StreamCaptureUnsupported;
    Backlog::get().wait_for_all();
    host_waited_for_all();
    return synchronize(d);
  });
}
WW_CUDA_API Error cudaDeviceReset() {
  return about_devices([&]() -> Error {
    Platform& platform = Platform::get();
    if (!platform.device_count()) return Error::NoDevice;
    platform.reset(platform.current());
    here().last = Error::Success;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
WW_CUDA_API Error cudaThreadExit() { return cudaDeviceReset(); }

WW_CUDA_API Error cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return with_device(device, [&](DeviceContext& d) -> Error {
    if (!value) return Error::InvalidValue;
    return device_attribute(d, attribute, *value);
  });
}
WW_CUDA_API Error cudaGetDeviceProperties(void* properties, int device) {
  return with_device(device, [&](DeviceContext& d) -> Error {
    if (!properties) return Error::InvalidValue;
    // The plain name means the layout of CUDA 13 there, and before it that of CUDA 11.
    if (Platform::get().runtime_version() >= 13000)
      properties_13(d, properties);
    else
      properties_11(d, properties);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGetDeviceProperties_v2(void* properties, int device) {
  return with_device(device, [&](DeviceContext& d) -> Error {
    if (!properties) return Error::InvalidValue;
    properties_12(d, properties);
    return Error::Success;
  });
}

WW_CUDA_API Error cudaDeviceGetLimit(size_t* value, int limit) {
  return api([&](DeviceContext& d) -> Error {
    if (!value) return Error::InvalidValue;
    if (limit < 0 || limit >= kLimits) return Error::InvalidValue;
    *value = d.limits[limit];
    return Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceSetLimit(int limit, size_t value) {
  return api([&](DeviceContext& d) -> Error {
    if (limit < 0 || limit >= kLimits) return Error::InvalidValue;
    d.limits[limit] = value;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaThreadGetLimit(size_t* value, int limit) { return cudaDeviceGetLimit(value, limit); }
WW_CUDA_API Error cudaThreadSetLimit(int limit, size_t value) { return cudaDeviceSetLimit(limit, value); }

WW_CUDA_API Error cudaDeviceGetCacheConfig(int* config) {
  return api([&](DeviceContext& d) -> Error {
    if (!config) return Error::InvalidValue;
    *config = d.cache_config;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceSetCacheConfig(int config) {
  return api([&](DeviceContext& d) -> Error {
    if (config < 0 || config > 3) return Error::InvalidValue;
    d.cache_config = config;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaThreadGetCacheConfig(int* config) { return cudaDeviceGetCacheConfig(config); }
WW_CUDA_API Error cudaThreadSetCacheConfig(int config) { return cudaDeviceSetCacheConfig(config); }
WW_CUDA_API Error cudaDeviceGetSharedMemConfig(int* config) {
  return api([&](DeviceContext& d) -> Error {
    if (!config) return Error::InvalidValue;
    *config = d.shared_config ? d.shared_config.load() : 1;  // banks of four bytes
    return Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceSetSharedMemConfig(int config) {
  return api([&](DeviceContext&) -> Error {
    return config < 0 || config > 2 ? Error::InvalidValue : Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api([&](DeviceContext&) -> Error {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return with_device(device, [&](DeviceContext& d) -> Error {
    if (!text || length <= 0) return Error::InvalidValue;
    std::string id = fmt::format("0000:{:02X}:00.0", d.number + 1);
    if (static_cast<size_t>(length) < id.size() + 1) return Error::InvalidValue;
    std::memcpy(text, id.c_str(), id.size() + 1);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return about_devices([&]() -> Error {
    if (!device || !id) return Error::InvalidValue;
    unsigned domain = 0, bus = 0, slot = 0;
    if (std::sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3 && std::sscanf(id, "%x:%x", &bus, &slot) != 2)
      return Error::InvalidValue;
    if (domain || slot || !Platform::get().device(static_cast<int>(bus) - 1)) return Error::InvalidDevice;
    *device = static_cast<int>(bus) - 1;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceGetTexture1DLinearMaxWidth(size_t* width, const ChannelDesc*, int device) {
  return with_device(device, [&](DeviceContext&) -> Error {
    if (!width) return Error::InvalidValue;
    *width = size_t{1} << 28;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceFlushGPUDirectRDMAWrites(int, int) { return Error::Success; }
WW_CUDA_API Error cudaCtxResetPersistingL2Cache() {
  return api([](DeviceContext&) { return Error::Success; });
}

// Peer Device Memory Access.
WW_CUDA_API Error cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return with_device(device, [&](DeviceContext&) -> Error {
    if (!can) return Error::InvalidValue;
    if (!Platform::get().device(peer)) return Error::InvalidDevice;
    *can = device != peer;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceEnablePeerAccess(int peer, u32 flags) {
  return api([&](DeviceContext& d) -> Error {
    if (!Platform::get().device(peer)) return Error::InvalidDevice;
    if (peer == d.number) return Error::PeerAccessUnsupported;
    if (flags) return Error::InvalidValue;
    u64 bit = u64{1} << peer;
    return d.peers.fetch_or(bit) & bit ? Error::PeerAccessAlreadyEnabled : Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceDisablePeerAccess(int peer) {
  return api([&](DeviceContext& d) -> Error {
    if (!Platform::get().device(peer)) return Error::InvalidDevice;
    u64 bit = u64{1} << peer;
    return d.peers.fetch_and(~bit) & bit ? Error::Success : Error::PeerAccessNotEnabled;
  });
}
WW_CUDA_API Error cudaDeviceGetP2PAttribute(int* value, int attribute, int from, int to) {
  return about_devices([&]() -> Error {
    if (!value || attribute < 1 || attribute > 5) return Error::InvalidValue;
    if (!Platform::get().device(from) || !Platform::get().device(to) || from == to)
      return Error::InvalidDevice;
    *value = attribute == 1 ? 0 : attribute == 5 ? 0 : 1;
    return Error::Success;
  });
}

// Version Management.
WW_CUDA_API Error cudaDriverGetVersion(int* version) {
  return about_devices([&]() -> Error {
    if (!version) return Error::InvalidValue;
    *version = 13000;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaRuntimeGetVersion(int* version) {
  return about_devices([&]() -> Error {
    if (!version) return Error::InvalidValue;
    *version = Platform::get().runtime_version();
    return Error::Success;
  });
}

// Profiler Control.
WW_CUDA_API Error cudaProfilerStart() { return Error::Success; }
WW_CUDA_API Error cudaProfilerStop() { return Error::Success; }
WW_CUDA_API Error cudaProfilerInitialize(const char*, const char*, int) { return Error::NotSupported; }
