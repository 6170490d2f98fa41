// CUDA Driver API: Stream Ordered Memory Allocator.
#include "cuda/driver/call.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

WW_CUDA_API Error cuMemAllocAsync(void** pointer, size_t bytes, Stream* stream) {
  return as_runtime_in(stream, [&] { return cudaMallocAsync(pointer, bytes, stream); });
}
WW_CUDA_API Error cuMemAllocFromPoolAsync(void** pointer, size_t bytes, Pool* pool, Stream* stream) {
  return as_runtime_in(stream, [&] { return cudaMallocFromPoolAsync(pointer, bytes, pool, stream); });
}
WW_CUDA_API Error cuMemFreeAsync(void* pointer, Stream* stream) {
  return as_runtime_in(stream, [&] { return cudaFreeAsync(pointer, stream); });
}
WW_FORWARD_ANYWHERE(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool, (Pool * *pool, int device),
                    (pool, device))
WW_FORWARD_ANYWHERE(cuDeviceGetMemPool, cudaDeviceGetMemPool, (Pool * *pool, int device), (pool, device))
WW_FORWARD_ANYWHERE(cuDeviceSetMemPool, cudaDeviceSetMemPool, (int device, Pool* pool), (device, pool))
WW_FORWARD_ANYWHERE(cuMemPoolCreate, cudaMemPoolCreate, (Pool * *pool, const MemPoolProps* props),
                    (pool, props))
WW_FORWARD_ANYWHERE(cuMemPoolDestroy, cudaMemPoolDestroy, (Pool * pool), (pool))
WW_FORWARD_ANYWHERE(cuMemPoolTrimTo, cudaMemPoolTrimTo, (Pool * pool, size_t unused1), (pool, unused1))
WW_FORWARD_ANYWHERE(cuMemPoolGetAttribute, cudaMemPoolGetAttribute, (Pool * pool, int attribute, void* value),
                    (pool, attribute, value))
WW_FORWARD_ANYWHERE(cuMemPoolSetAttribute, cudaMemPoolSetAttribute, (Pool * pool, int attribute, void* value),
                    (pool, attribute, value))
WW_FORWARD_ANYWHERE(cuMemPoolSetAccess, cudaMemPoolSetAccess,
                    (Pool * pool, const MemAccessDesc* list, size_t count), (pool, list, count))
WW_FORWARD(cuMemPoolGetAccess, cudaMemPoolGetAccess, (int* flags, Pool* pool, MemLocation* unused2),
           (flags, pool, unused2))
WW_FORWARD(cuMemPoolExportToShareableHandle, cudaMemPoolExportToShareableHandle,
           (void* file, Pool* pool, int type, u32 flags), (file, pool, type, flags))
WW_FORWARD(cuMemPoolImportFromShareableHandle, cudaMemPoolImportFromShareableHandle,
           (Pool * *pool, void* file, int type, u32 flags), (pool, file, type, flags))
WW_FORWARD(cuMemPoolExportPointer, cudaMemPoolExportPointer, (IpcHandle * handle, void* pointer),
           (handle, pointer))
WW_FORWARD(cuMemPoolImportPointer, cudaMemPoolImportPointer,
           (void** pointer, Pool* pool, const IpcHandle* handle), (pointer, pool, handle))

// Since CUDA 13: the pool of a place; only devices have pools here.
WW_CUDA_API Error cuMemGetDefaultMemPool(Pool** pool, MemLocation* location, int) {
  if (!location) return Error::InvalidValue;
  return location->type == 1 ? cuDeviceGetDefaultMemPool(pool, location->id) : Error::NotSupported;
}
WW_CUDA_API Error cuMemGetMemPool(Pool** pool, MemLocation* location, int) {
  if (!location) return Error::InvalidValue;
  return location->type == 1 ? cuDeviceGetMemPool(pool, location->id) : Error::NotSupported;
}
WW_CUDA_API Error cuMemSetMemPool(MemLocation* location, int, Pool* pool) {
  if (!location) return Error::InvalidValue;
  return location->type == 1 ? cuDeviceSetMemPool(location->id, pool) : Error::NotSupported;
}
