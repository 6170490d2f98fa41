// CUDA Driver API: Memory Management, allocation.
#include "cuda/core/platform.h"
#include "cuda/driver/call.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

namespace {
/// The runtime takes 0 bytes for nothing; the driver refuses them.
template <class F>
Error sized(size_t bytes, F&& call) {
  return as_runtime([&]() -> Error { return bytes ? call() : Error::InvalidValue; });
}
void* pointer(DevicePointer at) { return reinterpret_cast<void*>(at); }
}  // namespace

WW_FORWARD(cuMemGetInfo_v2, cudaMemGetInfo, (size_t * free, size_t* total), (free, total))
WW_FORWARD_ANYWHERE(cuMemFree_v2, cudaFree, (DevicePointer at), (pointer(at)))
WW_FORWARD_ANYWHERE(cuMemFreeHost, cudaFreeHost, (void* at), (at))
WW_FORWARD(cuMemHostRegister_v2, cudaHostRegister, (void* at, size_t bytes, u32 flags), (at, bytes, flags))
WW_FORWARD_ANYWHERE(cuMemHostUnregister, cudaHostUnregister, (void* at), (at))
WW_FORWARD(cuMemHostGetDevicePointer_v2, cudaHostGetDevicePointer, (void** device, void* host, u32 flags),
           (device, host, flags))
WW_FORWARD(cuMemHostGetFlags, cudaHostGetFlags, (u32 * flags, void* host), (flags, host))

WW_CUDA_API Error cuMemAlloc_v2(void** at, size_t bytes) {
  return sized(bytes, [&] { return cudaMalloc(at, bytes); });
}
WW_CUDA_API Error cuMemAllocPitch_v2(void** at, size_t* pitch, size_t width, size_t height, u32 element) {
  if (element != 4 && element != 8 && element != 16) return Error::InvalidValue;
  return sized(width && height, [&] { return cudaMallocPitch(at, pitch, width, height); });
}
WW_CUDA_API Error cuMemAllocManaged(void** at, size_t bytes, u32 flags) {
  return sized(bytes, [&] { return cudaMallocManaged(at, bytes, flags); });
}
WW_CUDA_API Error cuMemHostAlloc(void** at, size_t bytes, u32 flags) {
  return sized(bytes, [&] { return cudaHostAlloc(at, bytes, flags); });
}
WW_CUDA_API Error cuMemAllocHost_v2(void** at, size_t bytes) { return cuMemHostAlloc(at, bytes, 0); }
WW_CUDA_API Error cuMemGetAddressRange_v2(DevicePointer* base, size_t* bytes, DevicePointer at) {
  return driver([&](DeviceContext&) -> Error {
    auto block = Platform::get().memory().find(at);
    if (!block) return Error::SymbolNotFound;
    if (base) *base = block->base;
    if (bytes) *bytes = block->bytes;
    return Error::Success;
  });
}
