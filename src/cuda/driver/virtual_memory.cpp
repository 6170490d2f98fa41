// CUDA Driver API: Virtual Memory Management.
#include "cuda/core/virtual_memory.h"

#include "cuda/driver/call.h"

using namespace ww::cuda;

namespace {
using Number = unsigned long long;
/// The core's numbers have another name for 64 bits.
template <class F>
Error into(Number* out, F&& call) {
  return driver_plain([&]() -> Error {
    ww::cuda::u64 value = 0;
    if (!out) return Error::InvalidValue;
    Error e = call(value);
    if (e == Error::Success) *out = value;
    return e;
  });
}
}  // namespace

WW_CUDA_API Error cuMemAddressReserve(Number* at, size_t bytes, size_t alignment, Number wanted,
                                      Number flags) {
  return into(at, [&](ww::cuda::u64& out) -> Error {
    return flags ? Error::InvalidValue : reserve_addresses(bytes, alignment, wanted, out);
  });
}
WW_CUDA_API Error cuMemAddressFree(Number at, size_t bytes) {
  return driver_plain([&] { return free_addresses(at, bytes); });
}
WW_CUDA_API Error cuMemCreate(Number* handle, size_t bytes, const MemAllocationProp* props, Number flags) {
  return into(handle, [&](ww::cuda::u64& out) -> Error {
    return !props || flags ? Error::InvalidValue : create_memory(*props, bytes, out);
  });
}
WW_CUDA_API Error cuMemExportToShareableHandle(void* file, Number handle, int type, Number flags) {
  return driver_plain([&]() -> Error {
    return !file || flags ? Error::InvalidValue : export_memory(handle, type, *static_cast<int*>(file));
  });
}
WW_CUDA_API Error cuMemImportFromShareableHandle(Number* handle, void* file, int type) {
  return into(handle, [&](ww::cuda::u64& out) {
    return import_memory(static_cast<int>(reinterpret_cast<intptr_t>(file)), type, out);
  });
}
WW_CUDA_API Error cuMemRelease(Number handle) {
  return driver_plain([&] { return release_memory(handle); });
}
WW_CUDA_API Error cuMemMap(Number at, size_t bytes, size_t offset, Number handle, Number flags) {
  return driver_plain(
      [&]() -> Error { return flags ? Error::InvalidValue : map_memory(at, bytes, offset, handle); });
}
WW_CUDA_API Error cuMemUnmap(Number at, size_t bytes) {
  return driver_plain([&] { return unmap_memory(at, bytes); });
}
WW_CUDA_API Error cuMemSetAccess(Number at, size_t bytes, const MemAccessDesc* list, size_t count) {
  return driver_plain([&]() -> Error {
    if (!list || !count) return Error::InvalidValue;
    int flags = 0;  // all devices share one memory: what one of them may, all may
    for (size_t k = 0; k < count; ++k) flags |= list[k].flags;
    return set_access(at, bytes, flags);
  });
}
WW_CUDA_API Error cuMemGetAccess(Number* flags, const MemLocation* location, Number at) {
  return into(flags, [&](ww::cuda::u64& out) -> Error {
    return location ? access_of(at, out) : Error::InvalidValue;
  });
}
WW_CUDA_API Error cuMemGetAllocationGranularity(size_t* bytes, const MemAllocationProp* props, int) {
  return driver_plain([&]() -> Error {
    if (!bytes || !props) return Error::InvalidValue;
    *bytes = kGranularity;
    return Error::Success;
  });
}
WW_CUDA_API Error cuMemGetAllocationPropertiesFromHandle(MemAllocationProp* props, Number handle) {
  return driver_plain([&]() -> Error { return props ? properties_of(handle, *props) : Error::InvalidValue; });
}
WW_CUDA_API Error cuMemRetainAllocationHandle(Number* handle, void* at) {
  return into(handle,
              [&](ww::cuda::u64& out) { return retain_memory(reinterpret_cast<ww::cuda::u64>(at), out); });
}
