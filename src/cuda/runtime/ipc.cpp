// CUDA Runtime API: interprocess communication (of Device Management).
#include "cuda/core/ipc.h"

#include "cuda/core/platform.h"
#include "cuda/core/stream.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;

WW_CUDA_API Error cudaIpcGetMemHandle(IpcHandle* handle, void* pointer) {
  return api([&](DeviceContext&) -> Error {
    return handle ? share_memory(reinterpret_cast<ww::cuda::u64>(pointer), *handle) : Error::InvalidValue;
  });
}
WW_CUDA_API Error cudaIpcOpenMemHandle(void** pointer, IpcHandle handle, u32 flags) {
  return api([&](DeviceContext&) -> Error {
    ww::cuda::u64 address = 0;
    if (!pointer || flags != 1) return Error::InvalidValue;  // cudaIpcMemLazyEnablePeerAccess
    if (Error e = open_shared_memory(handle, address); e != Error::Success) return e;
    *pointer = reinterpret_cast<void*>(address);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaIpcCloseMemHandle(void* pointer) {
  return api([&](DeviceContext&) { return close_shared_memory(reinterpret_cast<ww::cuda::u64>(pointer)); });
}
WW_CUDA_API Error cudaIpcGetEventHandle(IpcHandle* handle, Event* event) {
  return api([&](DeviceContext&) -> Error {
    if (!handle) return Error::InvalidValue;
    if (!is_event(event) || !(event->flags & kEventInterprocess)) return Error::InvalidResourceHandle;
    share_event(*handle);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaIpcOpenEventHandle(Event** event, IpcHandle handle) {
  return api([&](DeviceContext& device) -> Error {
    return event ? open_shared_event(device, handle, *event) : Error::InvalidValue;
  });
}
