// CUDA Runtime API: Stream Ordered Memory Allocator.
#include "cuda/core/pool.h"

#include "cuda/core/graph.h"
#include "cuda/core/ipc.h"
#include "cuda/core/node_params.h"
#include "cuda/core/stream.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;

namespace {

Pool& current_pool(DeviceContext& d) {
  Pool* p = d.pool;
  return p ? *p : default_pool(d);
}

Error allocate_in(Pool& pool, void** pointer, size_t bytes, Stream* stream) {
  Stream* s = stream_of(stream);
  if (!s) return Error::InvalidResourceHandle;
  if (!s->capture || !bytes) {
    const Working working(*s, "an allocation");
    return pool_allocate(pool, bytes, pointer);
  }
  AllocCall call;
  call.params.props.location = {1, pool.device->number};
  call.params.bytes = bytes;
  if (Error e = allocate_for(call.params, *pool.device, *s->capture->graph); e != Error::Success) return e;
  *pointer = call.params.pointer;
  return submit(stream, call);
}

template <class F>
Error with_pool(Pool* pool, F&& body) {
  return api([&](DeviceContext&) -> Error {
    if (!is_pool(pool)) return Error::InvalidValue;
    return body(*pool);
  });
}
template <class F>
Error with_pools_of(int device, F&& body) {
  return plain_api([&]() -> Error {
    DeviceContext* d = Platform::get().device(device);
    return d ? body(*d) : Error::InvalidDevice;
  });
}

}  // namespace

WW_CUDA_API Error cudaMallocAsync(void** pointer, size_t bytes, Stream* stream) {
  return api([&](DeviceContext& d) -> Error {
    Stream* s = stream_of(stream);
    if (!pointer) return Error::InvalidValue;
    if (!s) return Error::InvalidResourceHandle;
    return allocate_in(current_pool(s->device ? *s->device : d), pointer, bytes, stream);
  });
}
WW_CUDA_API Error cudaMallocFromPoolAsync(void** pointer, size_t bytes, Pool* pool, Stream* stream) {
  return with_pool(pool, [&](Pool& p) { return allocate_in(p, pointer, bytes, stream); });
}
WW_CUDA_API Error cudaFreeAsync(void* pointer, Stream* stream) {
  return api([&](DeviceContext&) -> Error {
    Stream* s = stream_of(stream);
    if (!s) return Error::InvalidResourceHandle;
    if (!pointer) return Error::Success;
    return submit(stream, FreeCall{pointer});
  });
}
WW_CUDA_API Error cudaDeviceGetDefaultMemPool(Pool** pool, int device) {
  return with_pools_of(device, [&](DeviceContext& d) -> Error {
    if (!pool) return Error::InvalidValue;
    *pool = &default_pool(d);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceGetMemPool(Pool** pool, int device) {
  return with_pools_of(device, [&](DeviceContext& d) -> Error {
    if (!pool) return Error::InvalidValue;
    *pool = &current_pool(d);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceSetMemPool(int device, Pool* pool) {
  return with_pools_of(device, [&](DeviceContext& d) -> Error {
    if (!is_pool(pool) || pool->device != &d || pool->imported) return Error::InvalidValue;
    d.pool = pool;
    return Error::Success;
  });
}
// Since CUDA 13: the pool of a place; only devices have pools here.
WW_CUDA_API Error cudaMemGetDefaultMemPool(Pool** pool, const MemLocation* place, int) {
  if (!place || place->type != 1)
    return plain_api([&] { return place ? Error::NotSupported : Error::InvalidValue; });
  return cudaDeviceGetDefaultMemPool(pool, place->id);
}
WW_CUDA_API Error cudaMemGetMemPool(Pool** pool, const MemLocation* place, int) {
  if (!place || place->type != 1)
    return plain_api([&] { return place ? Error::NotSupported : Error::InvalidValue; });
  return cudaDeviceGetMemPool(pool, place->id);
}
WW_CUDA_API Error cudaMemSetMemPool(const MemLocation* place, int, Pool* pool) {
  if (!place || place->type != 1)
    return plain_api([&] { return place ? Error::NotSupported : Error::InvalidValue; });
  return cudaDeviceSetMemPool(place->id, pool);
}
WW_CUDA_API Error cudaMemPoolCreate(Pool** pool, const MemPoolProps* props) {
  return api([&](DeviceContext&) -> Error {
    if (!pool || !props || props->alloc_type != 1) return Error::InvalidValue;
    if (props->handle_types & ~1) return Error::NotSupported;  // but file descriptors
    if (props->location.type != 1) return Error::NotSupported;
    DeviceContext* d = Platform::get().device(props->location.id);
    if (!d) return Error::InvalidDevice;
    *pool = make_pool(*d);
    (*pool)->shared = props->handle_types;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaMemPoolExportToShareableHandle(void* file, Pool* pool, int type, u32 flags) {
  return with_pool(pool, [&](Pool& p) -> Error {
    return !file || flags ? Error::InvalidValue : export_pool(p, type, *static_cast<int*>(file));
  });
}
WW_CUDA_API Error cudaMemPoolImportFromShareableHandle(Pool** pool, void* file, int type, u32 flags) {
  return api([&](DeviceContext&) -> Error {
    if (!pool || flags) return Error::InvalidValue;
    return import_pool(static_cast<int>(reinterpret_cast<intptr_t>(file)), type, *pool);
  });
}
WW_CUDA_API Error cudaMemPoolExportPointer(IpcHandle* handle, void* pointer) {
  return api([&](DeviceContext&) -> Error {
    return handle ? share_pool_memory(reinterpret_cast<ww::cuda::u64>(pointer), *handle)
                  : Error::InvalidValue;
  });
}
WW_CUDA_API Error cudaMemPoolImportPointer(void** pointer, Pool* pool, const IpcHandle* handle) {
  return with_pool(pool, [&](Pool& p) -> Error {
    ww::cuda::u64 address = 0;
    if (!pointer || !handle || !p.imported) return Error::InvalidValue;
    if (Error e = open_pool_memory(*handle, p, address); e != Error::Success) return e;
    *pointer = reinterpret_cast<void*>(address);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaMemPoolDestroy(Pool* pool) {
  return api([&](DeviceContext&) { return destroy_pool(pool); });
}
WW_CUDA_API Error cudaMemPoolTrimTo(Pool* pool, size_t keep) {
  return with_pool(pool, [&](Pool& p) {
    trim(p, keep);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaMemPoolGetAttribute(Pool* pool, int attribute, void* value) {
  return with_pool(pool, [&](Pool& p) { return pool_attribute(p, attribute, value, false); });
}
WW_CUDA_API Error cudaMemPoolSetAttribute(Pool* pool, int attribute, void* value) {
  return with_pool(pool, [&](Pool& p) { return pool_attribute(p, attribute, value, true); });
}
WW_CUDA_API Error cudaMemPoolSetAccess(Pool* pool, const MemAccessDesc* list, size_t count) {
  return with_pool(pool, [&](Pool&) -> Error {
    if (count && !list) return Error::InvalidValue;
    for (size_t k = 0; k < count; ++k)
      if (!Platform::get().device(list[k].location.id)) return Error::InvalidDevice;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaMemPoolGetAccess(int* flags, Pool* pool, MemLocation*) {
  return with_pool(pool, [&](Pool&) -> Error {
    if (!flags) return Error::InvalidValue;
    *flags = 3;  // read and write
    return Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceGraphMemTrim(int device) {
  return with_pools_of(device, [](DeviceContext&) { return Error::Success; });
}
// Used now, used at most, reserved now, reserved at most: nothing is reserved that is not used.
WW_CUDA_API Error cudaDeviceGetGraphMemAttribute(int device, int which, void* value) {
  return with_pools_of(device, [&](DeviceContext& d) -> Error {
    if (!value || which < 0 || which > 3) return Error::InvalidValue;
    const GraphMemoryUse use = graph_memory_use(d);
    *static_cast<ww::cuda::u64*>(value) = which % 2 ? use.high : use.now;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaDeviceSetGraphMemAttribute(int device, int which, void* value) {
  return with_pools_of(device, [&](DeviceContext& d) -> Error {
    if (!value || (which != 1 && which != 3) || *static_cast<ww::cuda::u64*>(value))
      return Error::InvalidValue;  // only the high marks, and only to 0
    reset_graph_memory_high(d);
    return Error::Success;
  });
}
