// CUDA Runtime API: Memory Management, allocation.
#include <cstring>

#include "base/round.h"
#include "cuda/core/array.h"
#include "cuda/core/backlog.h"
#include "cuda/core/checking.h"
#include "cuda/core/copy.h"
#include "cuda/core/graph.h"
#include "cuda/core/ipc.h"
#include "cuda/core/platform.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;

namespace {

Error allocate(BlockKind kind, void** pointer, size_t bytes, u32 flags, DeviceContext& device) {
  if (!pointer) return Error::InvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return Error::Success;  // as the card: a null pointer, no error
  ww::cuda::u64 at = 0;
  Error e = Platform::get().memory().allocate(kind, device, bytes, flags, at);
  if (e == Error::Success) *pointer = reinterpret_cast<void*>(at);
  return e;
}

Error release(void* pointer, BlockKind kind, BlockKind other) {
  if (!pointer) return Error::Success;
  if (auto memory = GraphMemory::at(pointer)) return memory->end();
  MemoryMap& memory = Platform::get().memory();
  auto at = reinterpret_cast<ww::cuda::u64>(pointer);
  if (kind == BlockKind::Device && close_pool_memory(at) == Error::Success) return Error::Success;
  Error e = memory.release(at, kind, Error::InvalidValue);
  if (e != Error::Success && kind != other) e = memory.release(at, other, Error::InvalidValue);
  if (Checking* checking = Checking::get(); checking && e != Error::Success) checking->bad_free(at, kind);
  return e;
}

constexpr size_t kPitch = 512;  // what cudaMallocPitch rounds rows to on every GPU since 2.0

}  // namespace

WW_CUDA_API Error cudaMalloc(void** pointer, size_t bytes) {
  return api([&](DeviceContext& d) -> Error {
    if (capture_forbids_unsafe_calls()) return Error::StreamCaptureUnsupported;
    return allocate(BlockKind::Device, pointer, bytes, 0, d);
  });
}
WW_CUDA_API Error cudaFree(void* pointer) {
  return api([&](DeviceContext&) -> Error {
    if (pointer)
      Platform::get().flush_printed(), Backlog::get().wait_for_all(),
          host_waited_for_all();  // it waits for all kernels
    return release(pointer, BlockKind::Device, BlockKind::Managed);
  });
}
WW_CUDA_API Error cudaMallocManaged(void** pointer, size_t bytes, u32 flags) {
  return api([&](DeviceContext& d) -> Error {
    if (!pointer || (flags != 1 && flags != 2)) return Error::InvalidValue;
    if (bytes == 0) return *pointer = nullptr, Error::Success;  // as cards do; the manual calls it an error
    if (!Platform::get().engine().memory().unified()) return Error::NotSupported;
    return allocate(BlockKind::Managed, pointer, bytes, flags, d);
  });
}
WW_CUDA_API Error cudaHostAlloc(void** pointer, size_t bytes, u32 flags) {
  return api([&](DeviceContext& d) -> Error {
    if (!pointer || flags & ~7u) return Error::InvalidValue;
    if (!Platform::get().engine().memory().unified()) return Error::NotSupported;
    return allocate(BlockKind::Host, pointer, bytes, flags, d);
  });
}
WW_CUDA_API Error cudaMallocHost(void** pointer, size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }
WW_CUDA_API Error cudaFreeHost(void* pointer) {
  return api([&](DeviceContext&) -> Error {
    Backlog::get().wait_for_all();
    return release(pointer, BlockKind::Host, BlockKind::Host);
  });
}
WW_CUDA_API Error cudaHostRegister(void* pointer, size_t bytes, u32 flags) {
  return api([&](DeviceContext& d) -> Error {
    if (!pointer || !bytes || flags & ~15u) return Error::InvalidValue;
    return Platform::get().memory().adopt(reinterpret_cast<ww::cuda::u64>(pointer), bytes, d, flags);
  });
}
WW_CUDA_API Error cudaHostUnregister(void* pointer) {
  return api([&](DeviceContext&) -> Error {
    if (!pointer) return Error::InvalidValue;
    Backlog::get().wait_for_all();
    return Platform::get().memory().disown(reinterpret_cast<ww::cuda::u64>(pointer));
  });
}
WW_CUDA_API Error cudaHostGetDevicePointer(void** device, void* host, u32 flags) {
  return api([&](DeviceContext&) -> Error {
    if (!device || !host || flags) return Error::InvalidValue;
    auto block = Platform::get().memory().find(host);
    if (!block || (block->kind != BlockKind::Host && block->kind != BlockKind::Registered))
      return Error::InvalidValue;
    *device = host;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaHostGetFlags(u32* flags, void* host) {
  return api([&](DeviceContext&) -> Error {
    auto block = Platform::get().memory().find(host);
    if (!flags || !block || block->kind != BlockKind::Host) return Error::InvalidValue;
    *flags = block->flags | 2;  // with unified addresses all of it is mapped
    return Error::Success;
  });
}

WW_CUDA_API Error cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return api([&](DeviceContext& d) -> Error {
    if (!pointer || !pitch) return Error::InvalidValue;
    *pitch = ww::round_up(width, kPitch);
    const Error e = allocate(BlockKind::Device, pointer, *pitch * height, 0, d);
    if (Checking* checking = Checking::get(); checking && e == Error::Success)
      checking->pitched(reinterpret_cast<u64>(*pointer), *pitch, width);
    return e;
  });
}
WW_CUDA_API Error cudaMalloc3D(PitchedPtr* pitched, Extent extent) {
  return api([&](DeviceContext& d) -> Error {
    if (!pitched) return Error::InvalidValue;
    size_t pitch = ww::round_up(extent.width, kPitch);
    void* p = nullptr;
    Error e = allocate(BlockKind::Device, &p, pitch * extent.height * extent.depth, 0, d);
    if (e == Error::Success) *pitched = {p, pitch, extent.width, extent.height};
    if (Checking* checking = Checking::get(); checking && e == Error::Success)
      checking->pitched(reinterpret_cast<u64>(p), pitch, extent.width);
    return e;
  });
}

WW_CUDA_API Error cudaMallocArray(Array** array, const ChannelDesc* desc, size_t width, size_t height,
                                  u32 flags) {
  return api([&](DeviceContext& d) -> Error {
    if (!array || !desc) return Error::InvalidValue;
    return make_array(d, *desc, {width, height, 0}, flags, *array);
  });
}
WW_CUDA_API Error cudaMalloc3DArray(Array** array, const ChannelDesc* desc, Extent extent, u32 flags) {
  return api([&](DeviceContext& d) -> Error {
    if (!array || !desc) return Error::InvalidValue;
    return make_array(d, *desc, extent, flags, *array);
  });
}
WW_CUDA_API Error cudaFreeArray(Array* array) {
  return api([&](DeviceContext&) -> Error { return array ? free_array(array) : Error::Success; });
}
WW_CUDA_API Error cudaMallocMipmappedArray(MipmappedArray** array, const ChannelDesc* desc, Extent extent,
                                           u32 levels, u32 flags) {
  return api([&](DeviceContext& d) -> Error {
    if (!array || !desc) return Error::InvalidValue;
    return make_mipmapped(d, *desc, extent, levels, flags, *array);
  });
}
WW_CUDA_API Error cudaGetMipmappedArrayLevel(Array** level, MipmappedArray* array, u32 number) {
  return api([&](DeviceContext&) -> Error {
    if (!level || !array || number >= array->levels.size()) return Error::InvalidValue;
    *level = array->levels[number];
    return Error::Success;
  });
}
WW_CUDA_API Error cudaFreeMipmappedArray(MipmappedArray* array) {
  return api([&](DeviceContext&) -> Error { return array ? free_mipmapped(array) : Error::Success; });
}
WW_CUDA_API Error cudaArrayGetInfo(ChannelDesc* desc, Extent* extent, u32* flags, Array* array) {
  return api([&](DeviceContext&) -> Error {
    if (!is_array(array)) return Error::InvalidResourceHandle;
    if (desc) *desc = array->desc;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaGetChannelDesc(ChannelDesc* desc, const Array* array) {
  return api([&](DeviceContext&) -> Error {
    if (!desc) return Error::InvalidValue;
    if (!is_array(array)) return Error::InvalidResourceHandle;
    *desc = array->desc;
    return Error::Success;
  });
}
WW_CUDA_API ChannelDesc cudaCreateChannelDesc(int x, int y, int z, int w, ChannelKind kind) {
  return {x, y, z, w, kind};
}

WW_CUDA_API Error cudaMemGetInfo(size_t* free, size_t* total) {
  return api([&](DeviceContext& d) -> Error {
    if (free) *free = d.memory_bytes - std::min<size_t>(d.memory_bytes, d.allocated);
    if (total) *total = d.memory_bytes;
    return Error::Success;
  });
}

WW_CUDA_API Error cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return api([&](DeviceContext& d) -> Error {
    if (!attributes) return Error::InvalidValue;
    PointerAttributes a{};
    a.device = d.number;
    auto* p = const_cast<void*>(pointer);
    if (auto block = Platform::get().memory().find(pointer)) {
      a.device = block->device;
      a.type = block->kind == BlockKind::Managed                                        ? MemoryType::Managed
               : block->kind == BlockKind::Host || block->kind == BlockKind::Registered ? MemoryType::Host
                                                                                        : MemoryType::Device;
      a.device_pointer = p;
      a.host_pointer = block->on_device() ? nullptr : p;
    } else {
      a.device = -2;  // cudaInvalidDeviceId; CUDA 11 and later answer so for memory they do not know
      a.host_pointer = p;
    }
    // Before CUDA 13 nothing lay behind the pointers.
    std::memcpy(
        attributes, &a,
        Platform::get().runtime_version() >= 13000 ? sizeof a : offsetof(PointerAttributes, reserved));
    return Error::Success;
  });
}

// Managed memory: where it lies makes no difference here; what was advised is kept for queries.
WW_CUDA_API Error cudaMemPrefetchAsync_v2(const void* pointer, size_t bytes, MemLocation location, u32 flags,
                                          Stream* stream) {
  return api([&](DeviceContext&) -> Error {
    auto block = Platform::get().memory().find(pointer);
    if (!block || bytes == 0 || flags || block->kind != BlockKind::Managed ||
        reinterpret_cast<ww::cuda::u64>(pointer) + bytes > block->base + block->bytes)
      return Error::InvalidValue;
    constexpr int kDevice = 1;  // cudaMemLocationTypeDevice
    if (Platform::get().runtime_version() >= 13000 && location.type == kDevice &&
        !Platform::get().device(location.id))
      return Error::InvalidDevice;
    return stream_of(stream) ? Error::Success : Error::InvalidResourceHandle;
  });
}
namespace {
Error advise(const void* pointer, size_t bytes, int advice, int place) {
  return api([&](DeviceContext&) -> Error {
    auto block = Platform::get().memory().find(pointer);
    if (!block || bytes == 0 || advice < 1 || advice > 6 || block->kind != BlockKind::Managed)
      return Error::InvalidValue;
    Platform::get().memory().alter(reinterpret_cast<ww::cuda::u64>(pointer), [&](Block& b) {
      if (advice <= 2) b.read_mostly = advice == 1;
      if (advice == 3) b.preferred = place;
      if (advice == 4) b.preferred = -2;
    });
    return Error::Success;
  });
}
}  // namespace
WW_CUDA_API Error cudaMemAdvise_v2(const void* pointer, size_t bytes, int advice, MemLocation location) {
  return advise(pointer, bytes, advice, location.type == 2 ? -1 : location.id);
}
// The plain names took a device's number before CUDA 13 and take a location since; both fit the same
// registers: a location is type and id in one 8-byte register, and a fifth argument is only there for a
// location.
WW_CUDA_API Error cudaMemAdvise(const void* pointer, size_t bytes, int advice, MemLocation location) {
  if (Platform::get().runtime_version() >= 13000) return cudaMemAdvise_v2(pointer, bytes, advice, location);
  return advise(pointer, bytes, advice, location.type);
}
WW_CUDA_API Error cudaMemPrefetchAsync(const void* pointer, size_t bytes, MemLocation location,
                                       ww::cuda::u64 flags_or_stream, Stream* stream) {
  if (Platform::get().runtime_version() >= 13000)
    return cudaMemPrefetchAsync_v2(pointer, bytes, location, static_cast<u32>(flags_or_stream), stream);
  return cudaMemPrefetchAsync_v2(pointer, bytes, location, 0, reinterpret_cast<Stream*>(flags_or_stream));
}
WW_CUDA_API Error cudaMemRangeGetAttribute(void* data, size_t bytes, int attribute, const void* pointer,
                                           size_t count) {
  return api([&](DeviceContext&) -> Error {
    auto block = Platform::get().memory().find(pointer);
    if (!data || bytes < 4 || !count || !block || block->kind != BlockKind::Managed)
      return Error::InvalidValue;
    int value = 0;
    if (attribute == 1)
      value = block->read_mostly;
    else if (attribute == 2)
      value = block->preferred;
    else if (attribute == 4)
      value = -2;
    else if (attribute != 3)
      return Error::InvalidValue;
    if (attribute == 3) {
      for (size_t k = 0; k < bytes / 4; ++k) static_cast<int*>(data)[k] = -2;
    } else {
      *static_cast<int*>(data) = value;
    }
    return Error::Success;
  });
}
WW_CUDA_API Error cudaMemRangeGetAttributes(void** data, size_t* bytes, int* attributes, size_t n,
                                            const void* pointer, size_t count) {
  if (!data || !bytes || !attributes || !n) return api([](DeviceContext&) { return Error::InvalidValue; });
  for (size_t k = 0; k < n; ++k)
    if (Error e = cudaMemRangeGetAttribute(data[k], bytes[k], attributes[k], pointer, count);
        e != Error::Success)
      return e;
  return Error::Success;
}
WW_CUDA_API Error cudaStreamAttachMemAsync(Stream* stream, void* pointer, size_t, u32 flags) {
  return api([&](DeviceContext&) -> Error {
    if (!stream_of(stream)) return Error::InvalidResourceHandle;
    auto block = Platform::get().memory().find(pointer);
    if (!block || block->kind != BlockKind::Managed || (flags != 1 && flags != 2 && flags != 4))
      return Error::InvalidValue;
    return Error::Success;
  });
}
