// CUDA Driver API: Memory Management, copies and fills.
#include "cuda/core/array.h"
#include "cuda/core/default_stream.h"
#include "cuda/core/transfer.h"
#include "cuda/driver/call.h"
#include "cuda/driver/copy.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

namespace ww::cuda {

namespace {

Error driver_place(const DriverPlace3D& d, size_t width, size_t height, size_t depth, Place& place) {
  if (d.level) return Error::InvalidValue;
  if (d.type == DriverMemory::Array) {
    if (Error e = array_place(d.array, d.x_bytes, d.y, place); e != Error::Success) return e;
    place.z = d.z;
    return Error::Success;
  }
  place = {};
  place.base = d.type == DriverMemory::Host ? reinterpret_cast<u64>(d.host) : d.device;
  // A pitch of 0 means rows without gaps, a height of 0 slices without.
  place.pitch = d.pitch ? d.pitch : d.x_bytes + width;
  place.slice = place.pitch * (d.height ? d.height : d.y + height);
  place.x = d.x_bytes, place.y = d.y, place.z = d.z;
  const bool rows = height > 1 || depth > 1;
  return rows && place.pitch < d.x_bytes + width ? Error::InvalidValue : Error::Success;
}

DriverPlace3D driver_place(const Place& place, bool host) {
  DriverPlace3D d{};
  d.x_bytes = place.x, d.y = place.y, d.z = place.z;
  d.type = place.array ? DriverMemory::Array : host ? DriverMemory::Host : DriverMemory::Device;
  d.array = place.array;
  if (!place.array) {
    if (host)
      d.host = reinterpret_cast<void*>(place.base);
    else
      d.device = place.base;
    d.pitch = place.pitch, d.height = place.pitch ? place.slice / place.pitch : 0;
  }
  return d;
}

bool on_host(DriverMemory type) { return type == DriverMemory::Host; }
bool known(DriverMemory type) { return type >= DriverMemory::Host && type <= DriverMemory::Unified; }

}  // namespace

Error copy_of(const DriverCopy3D* d, Copy& copy) {
  if (!d || !known(d->from.type) || !known(d->to.type)) return Error::InvalidValue;
  copy = {};
  Error e = driver_place(d->from, d->width_bytes, d->height, d->depth, copy.from);
  if (e == Error::Success) e = driver_place(d->to, d->width_bytes, d->height, d->depth, copy.to);
  if (e != Error::Success) return e;
  copy.width = d->width_bytes, copy.height = d->height, copy.depth = d->depth;
  if (d->from.type == DriverMemory::Unified || d->to.type == DriverMemory::Unified)
    copy.kind = CopyKind::Default;
  else
    copy.kind = static_cast<CopyKind>((on_host(d->from.type) ? 0 : 2) + (on_host(d->to.type) ? 0 : 1));
  return Error::Success;
}

Error copy_of(const DriverCopy2D* d, Copy& copy) {
  if (!d) return Error::InvalidValue;
  auto side = [](const DriverPlace2D& p) {
    return DriverPlace3D{p.x_bytes, p.y, 0, 0, p.type, p.host, p.device, p.array, nullptr, p.pitch, 0};
  };
  DriverCopy3D whole{side(d->from), side(d->to), d->width_bytes, d->height, 1};
  return copy_of(&whole, copy);
}

DriverCopy3D description_of(const Copy& c) {
  const bool from_host = c.kind == CopyKind::HostToDevice || c.kind == CopyKind::HostToHost;
  const bool to_host = c.kind == CopyKind::DeviceToHost || c.kind == CopyKind::HostToHost;
  return {driver_place(c.from, from_host), driver_place(c.to, to_host), c.width, c.height, c.depth};
}

}  // namespace ww::cuda

namespace {

template <class Description>
Error described(const Description* d, Stream* stream, bool wait) {
  return driver([&](DeviceContext&) -> Error {
    Copy copy;
    if (Error e = copy_of(d, copy); e != Error::Success) return e;
    return wait ? copy_now(copy) : copy_later(copy, stream);
  });
}
Error linear(DevicePointer to, DevicePointer from, size_t bytes, CopyKind kind, Stream* stream, bool wait) {
  return driver([&](DeviceContext&) -> Error {
    Copy copy = linear_copy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes, kind);
    return wait ? copy_now(copy) : copy_later(copy, stream);
  });
}
DevicePointer number(const void* pointer) { return reinterpret_cast<DevicePointer>(pointer); }
/// Where byte `offset` of an array lies. 0: not within it.
DevicePointer in_array(Array* array, size_t offset, size_t bytes) {
  return is_array(array) && offset <= array->bytes() && bytes <= array->bytes() - offset
             ? array->address + offset
             : 0;
}
Error set(DevicePointer to, size_t pitch, u32 value, u32 element, size_t width, size_t height,
          Stream* stream) {
  return driver([&](DeviceContext& d) { return fill(to, pitch, value, element, width, height, stream, d); });
}
Error set_now(DevicePointer to, size_t pitch, u32 value, u32 element, size_t width, size_t height) {
  return driver([&](DeviceContext& d) { return fill_now(to, pitch, value, element, width, height, d); });
}

}  // namespace

WW_CUDA_API Error cuMemcpy(DevicePointer to, DevicePointer from, size_t bytes) {
  return linear(to, from, bytes, CopyKind::Default, nullptr, true);
}
WW_CUDA_API Error cuMemcpyAsync(DevicePointer to, DevicePointer from, size_t bytes, Stream* stream) {
  return linear(to, from, bytes, CopyKind::Default, stream, false);
}
WW_CUDA_API Error cuMemcpyPeer(DevicePointer to, Context* to_context, DevicePointer from,
                               Context* from_context, size_t bytes) {
  if (!is_context(to_context) || !is_context(from_context)) return Error::DeviceUninitialized;
  return linear(to, from, bytes, CopyKind::Default, nullptr, true);
}
WW_CUDA_API Error cuMemcpyPeerAsync(DevicePointer to, Context* to_context, DevicePointer from,
                                    Context* from_context, size_t bytes, Stream* stream) {
  if (!is_context(to_context) || !is_context(from_context)) return Error::DeviceUninitialized;
  return linear(to, from, bytes, CopyKind::Default, stream, false);
}
WW_CUDA_API Error cuMemcpyHtoD_v2(DevicePointer to, const void* from, size_t bytes) {
  return linear(to, number(from), bytes, CopyKind::HostToDevice, nullptr, true);
}
WW_CUDA_API Error cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, size_t bytes, Stream* stream) {
  return linear(to, number(from), bytes, CopyKind::HostToDevice, stream, false);
}
WW_CUDA_API Error cuMemcpyDtoH_v2(void* to, DevicePointer from, size_t bytes) {
  return linear(number(to), from, bytes, CopyKind::DeviceToHost, nullptr, true);
}
WW_CUDA_API Error cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, size_t bytes, Stream* stream) {
  return linear(number(to), from, bytes, CopyKind::DeviceToHost, stream, false);
}
WW_CUDA_API Error cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, size_t bytes) {
  return linear(to, from, bytes, CopyKind::DeviceToDevice, nullptr, true);
}
WW_CUDA_API Error cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t bytes, Stream* stream) {
  return linear(to, from, bytes, CopyKind::DeviceToDevice, stream, false);
}

// Arrays as rows without gaps.
WW_CUDA_API Error cuMemcpyDtoA_v2(Array* to, size_t offset, DevicePointer from, size_t bytes) {
  return linear(in_array(to, offset, bytes), from, bytes, CopyKind::DeviceToDevice, nullptr, true);
}
WW_CUDA_API Error cuMemcpyAtoD_v2(DevicePointer to, Array* from, size_t offset, size_t bytes) {
  return linear(to, in_array(from, offset, bytes), bytes, CopyKind::DeviceToDevice, nullptr, true);
}
WW_CUDA_API Error cuMemcpyHtoA_v2(Array* to, size_t offset, const void* from, size_t bytes) {
  return linear(in_array(to, offset, bytes), number(from), bytes, CopyKind::HostToDevice, nullptr, true);
}
WW_CUDA_API Error cuMemcpyHtoAAsync_v2(Array* to, size_t offset, const void* from, size_t bytes,
                                       Stream* stream) {
  return linear(in_array(to, offset, bytes), number(from), bytes, CopyKind::HostToDevice, stream, false);
}
WW_CUDA_API Error cuMemcpyAtoH_v2(void* to, Array* from, size_t offset, size_t bytes) {
  return linear(number(to), in_array(from, offset, bytes), bytes, CopyKind::DeviceToHost, nullptr, true);
}
WW_CUDA_API Error cuMemcpyAtoHAsync_v2(void* to, Array* from, size_t offset, size_t bytes, Stream* stream) {
  return linear(number(to), in_array(from, offset, bytes), bytes, CopyKind::DeviceToHost, stream, false);
}
WW_CUDA_API Error cuMemcpyAtoA_v2(Array* to, size_t to_offset, Array* from, size_t from_offset,
                                  size_t bytes) {
  return linear(in_array(to, to_offset, bytes), in_array(from, from_offset, bytes), bytes,
                CopyKind::DeviceToDevice, nullptr, true);
}

WW_CUDA_API Error cuMemcpy2D_v2(const DriverCopy2D* d) { return described(d, nullptr, true); }
WW_CUDA_API Error cuMemcpy2DUnaligned_v2(const DriverCopy2D* d) { return described(d, nullptr, true); }
WW_CUDA_API Error cuMemcpy2DAsync_v2(const DriverCopy2D* d, Stream* stream) {
  return described(d, stream, false);
}
WW_CUDA_API Error cuMemcpy3D_v2(const DriverCopy3D* d) { return described(d, nullptr, true); }
WW_CUDA_API Error cuMemcpy3DAsync_v2(const DriverCopy3D* d, Stream* stream) {
  return described(d, stream, false);
}
WW_CUDA_API Error cuMemcpy3DPeer(const DriverCopy3D* d) { return described(d, nullptr, true); }
WW_CUDA_API Error cuMemcpy3DPeerAsync(const DriverCopy3D* d, Stream* stream) {
  return described(d, stream, false);
}

WW_CUDA_API Error cuMemsetD8_v2(DevicePointer to, unsigned char value, size_t n) {
  return set_now(to, n, value, 1, n, 1);
}
WW_CUDA_API Error cuMemsetD16_v2(DevicePointer to, unsigned short value, size_t n) {
  return set_now(to, 2 * n, value, 2, n, 1);
}
WW_CUDA_API Error cuMemsetD32_v2(DevicePointer to, u32 value, size_t n) {
  return set_now(to, 4 * n, value, 4, n, 1);
}
WW_CUDA_API Error cuMemsetD2D8_v2(DevicePointer to, size_t pitch, unsigned char value, size_t width,
                                  size_t height) {
  return set_now(to, pitch, value, 1, width, height);
}
WW_CUDA_API Error cuMemsetD2D16_v2(DevicePointer to, size_t pitch, unsigned short value, size_t width,
                                   size_t height) {
  return set_now(to, pitch, value, 2, width, height);
}
WW_CUDA_API Error cuMemsetD2D32_v2(DevicePointer to, size_t pitch, u32 value, size_t width, size_t height) {
  return set_now(to, pitch, value, 4, width, height);
}
WW_CUDA_API Error cuMemsetD8Async(DevicePointer to, unsigned char value, size_t n, Stream* stream) {
  return set(to, n, value, 1, n, 1, stream);
}
WW_CUDA_API Error cuMemsetD16Async(DevicePointer to, unsigned short value, size_t n, Stream* stream) {
  return set(to, 2 * n, value, 2, n, 1, stream);
}
WW_CUDA_API Error cuMemsetD32Async(DevicePointer to, u32 value, size_t n, Stream* stream) {
  return set(to, 4 * n, value, 4, n, 1, stream);
}
WW_CUDA_API Error cuMemsetD2D8Async(DevicePointer to, size_t pitch, unsigned char value, size_t width,
                                    size_t height, Stream* stream) {
  return set(to, pitch, value, 1, width, height, stream);
}
WW_CUDA_API Error cuMemsetD2D16Async(DevicePointer to, size_t pitch, unsigned short value, size_t width,
                                     size_t height, Stream* stream) {
  return set(to, pitch, value, 2, width, height, stream);
}
WW_CUDA_API Error cuMemsetD2D32Async(DevicePointer to, size_t pitch, u32 value, size_t width, size_t height,
                                     Stream* stream) {
  return set(to, pitch, value, 4, width, height, stream);
}

// What --default-stream per-thread calls: the copy waits for the stream of this thread alone.
#define WW_IN_THREAD(name, parameters, arguments) \
  WW_CUDA_API Error name##_ptds parameters {      \
    const DefaultStreamOfThread ours;             \
    return name arguments;                        \
  }
#define WW_BETWEEN(name, To, From) WW_IN_THREAD(name, (To to, From from, size_t bytes), (to, from, bytes))
WW_BETWEEN(cuMemcpy, DevicePointer, DevicePointer)
WW_BETWEEN(cuMemcpyHtoD_v2, DevicePointer, const void*)
WW_BETWEEN(cuMemcpyDtoH_v2, void*, DevicePointer)
WW_BETWEEN(cuMemcpyDtoD_v2, DevicePointer, DevicePointer)
WW_IN_THREAD(cuMemcpyPeer,
             (DevicePointer to, Context* to_context, DevicePointer from, Context* from_context, size_t bytes),
             (to, to_context, from, from_context, bytes))
WW_IN_THREAD(cuMemcpyDtoA_v2, (Array * to, size_t offset, DevicePointer from, size_t bytes),
             (to, offset, from, bytes))
WW_IN_THREAD(cuMemcpyAtoD_v2, (DevicePointer to, Array* from, size_t offset, size_t bytes),
             (to, from, offset, bytes))
WW_IN_THREAD(cuMemcpyHtoA_v2, (Array * to, size_t offset, const void* from, size_t bytes),
             (to, offset, from, bytes))
WW_IN_THREAD(cuMemcpyAtoH_v2, (void* to, Array* from, size_t offset, size_t bytes), (to, from, offset, bytes))
WW_IN_THREAD(cuMemcpyAtoA_v2, (Array * to, size_t to_offset, Array* from, size_t from_offset, size_t bytes),
             (to, to_offset, from, from_offset, bytes))
WW_IN_THREAD(cuMemcpy2D_v2, (const DriverCopy2D* d), (d))
WW_IN_THREAD(cuMemcpy2DUnaligned_v2, (const DriverCopy2D* d), (d))
WW_IN_THREAD(cuMemcpy3D_v2, (const DriverCopy3D* d), (d))
WW_IN_THREAD(cuMemcpy3DPeer, (const DriverCopy3D* d), (d))
#define WW_FILL(bits, T)                                                                    \
  WW_IN_THREAD(cuMemsetD##bits##_v2, (DevicePointer to, T value, size_t n), (to, value, n)) \
  WW_IN_THREAD(cuMemsetD2D##bits##_v2,                                                      \
               (DevicePointer to, size_t pitch, T value, size_t width, size_t height),      \
               (to, pitch, value, width, height))
WW_FILL(8, unsigned char)
WW_FILL(16, unsigned short)
WW_FILL(32, u32)
