// CUDA Driver API: interprocess communication (of Memory Management).
#include "cuda/core/ipc.h"

#include "cuda/driver/call.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

WW_FORWARD(cuIpcGetEventHandle, cudaIpcGetEventHandle, (IpcHandle * handle, Event* event), (handle, event))
WW_FORWARD(cuIpcOpenEventHandle, cudaIpcOpenEventHandle, (Event * *event, IpcHandle handle), (event, handle))
WW_FORWARD(cuIpcGetMemHandle, cudaIpcGetMemHandle, (IpcHandle * handle, DevicePointer at),
           (handle, reinterpret_cast<void*>(at)))
WW_FORWARD(cuIpcOpenMemHandle_v2, cudaIpcOpenMemHandle, (DevicePointer * at, IpcHandle handle, u32 flags),
           (reinterpret_cast<void**>(at), handle, flags))
WW_FORWARD(cuIpcCloseMemHandle, cudaIpcCloseMemHandle, (DevicePointer at), (reinterpret_cast<void*>(at)))
