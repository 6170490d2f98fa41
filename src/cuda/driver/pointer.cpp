// CUDA Driver API: Unified Addressing.
#include "cuda/core/platform.h"
#include "cuda/driver/call.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

namespace {

template <class T>
Error give(void* to, T value) {
  *static_cast<T*>(to) = value;
  return Error::Success;
}

/// By the manual's numbers (CUpointer_attribute).
Error pointer_attribute(void* out, int attribute, const Block& b, DevicePointer at) {
  const bool host = b.kind == BlockKind::Host || b.kind == BlockKind::Registered;
  const bool managed = b.kind == BlockKind::Managed;
  switch (attribute) {
    case 1:
      return give(out, &primary_context(*Platform::get().device(b.device)));
    case 2:
      return give(out, static_cast<u32>(host ? 1 : 2));
    case 3:
      return give(out, at);
    case 4:
      return host || managed ? give(out, at) : Error::InvalidValue;
    case 6:  // synchronous operations: all are
    case 10:
    case 15:
      return give(out, u32{0});
    case 7:
      return give(out, static_cast<unsigned long long>(b.id));
    case 8:
      return give(out, static_cast<u32>(managed));
    case 9:
      return give(out, b.device);
    case 11:
      return give(out, static_cast<DevicePointer>(b.base));
    case 12:
      return give(out, static_cast<size_t>(b.bytes));
    case 13:
      return give(out, u32{1});
    case 14:
      return give(out, 0ull);
    case 16:
      return give(out, 3);  // read and write
    case 17:
      return give(out, b.pool);
    case 18:
      return give(out, static_cast<size_t>(b.bytes));
    case 19:
      return give(out, static_cast<DevicePointer>(b.base));
    case 20:
      return give(out, static_cast<unsigned long long>(b.id));
    default:
      return Error::InvalidValue;
  }
}

}  // namespace

WW_CUDA_API Error cuPointerGetAttribute(void* out, int attribute, DevicePointer at) {
  return driver([&](DeviceContext&) -> Error {
    auto block = Platform::get().memory().find(at);
    if (!out || !block) return Error::InvalidValue;
    return pointer_attribute(out, attribute, *block, at);
  });
}
WW_CUDA_API Error cuPointerGetAttributes(u32 count, int* attributes, void** out, DevicePointer at) {
  return driver([&](DeviceContext&) -> Error {
    if (!count || !attributes || !out) return Error::InvalidValue;
    auto block = Platform::get().memory().find(at);
    for (u32 k = 0; k < count; ++k) {
      if (!out[k]) return Error::InvalidValue;
      if (block && pointer_attribute(out[k], attributes[k], *block, at) == Error::Success) continue;
      // Memory that CUDA does not know has every attribute null; its ordinal is -2.
      if (attributes[k] == 9)
        give(out[k], -2);
      else if (attributes[k] == 2 || attributes[k] == 8 || attributes[k] == 13 || attributes[k] == 6)
        give(out[k], u32{0});
      else
        give(out[k], 0ull);
    }
    return Error::Success;
  });
}
WW_CUDA_API Error cuPointerSetAttribute(const void* value, int attribute, DevicePointer at) {
  return driver([&](DeviceContext&) -> Error {
    // 6: operations on it shall be synchronous, which they are.
    return value && attribute == 6 && Platform::get().memory().find(at) ? Error::Success
                                                                        : Error::InvalidValue;
  });
}

WW_CUDA_API Error cuMemPrefetchAsync_v2(DevicePointer at, size_t bytes, MemLocation to, u32 flags,
                                        Stream* stream) {
  return as_runtime(
      [&] { return cudaMemPrefetchAsync_v2(reinterpret_cast<void*>(at), bytes, to, flags, stream); });
}
WW_CUDA_API Error cuMemPrefetchAsync(DevicePointer at, size_t bytes, Device to, Stream* stream) {
  return cuMemPrefetchAsync_v2(at, bytes, {to < 0 ? 2 : 1, to < 0 ? 0 : to}, 0, stream);
}
WW_CUDA_API Error cuMemAdvise_v2(DevicePointer at, size_t bytes, int advice, MemLocation place) {
  return as_runtime([&] { return cudaMemAdvise_v2(reinterpret_cast<void*>(at), bytes, advice, place); });
}
WW_CUDA_API Error cuMemAdvise(DevicePointer at, size_t bytes, int advice, Device place) {
  return cuMemAdvise_v2(at, bytes, advice, {place < 0 ? 2 : 1, place < 0 ? 0 : place});
}
WW_CUDA_API Error cuMemRangeGetAttribute(void* out, size_t bytes, int attribute, DevicePointer at,
                                         size_t count) {
  return as_runtime(
      [&] { return cudaMemRangeGetAttribute(out, bytes, attribute, reinterpret_cast<void*>(at), count); });
}
WW_CUDA_API Error cuMemRangeGetAttributes(void** out, size_t* bytes, int* attributes, size_t n,
                                          DevicePointer at, size_t count) {
  if (!out || !bytes || !attributes || !n) return Error::InvalidValue;
  for (size_t k = 0; k < n; ++k)
    if (Error e = cuMemRangeGetAttribute(out[k], bytes[k], attributes[k], at, count); e != Error::Success)
      return e;
  return Error::Success;
}
