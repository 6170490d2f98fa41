// CUDA IPC: memory and events that another process uses. An allocation's pages become a file in memory, which
// the other process opens by the number that the file has here.
#pragma once

#include "cuda/abi/types.h"

namespace ww::cuda {

/// cudaIpcMemHandle_t and cudaIpcEventHandle_t: 64 bytes that a program may send anywhere.
struct IpcHandle {
  u32 kind;
  int process, file, device;
  u64 offset;  ///< of the allocation in the file
  u64 pool;    ///< Pool::id, 0: of none
  char rest[32];
};
static_assert(sizeof(IpcHandle) == 64);

/// Errors: InvalidValue (not what cudaMalloc gave), NotSupported, MemoryAllocation.
Error share_memory(u64 address, IpcHandle& handle);
/// The same of memory of a pool that was made for it (cudaMemPoolExportPointer).
Error share_pool_memory(u64 address, IpcHandle& handle);
/// Errors: as below, but that this process may open it, too; and InvalidValue if it is of another pool.
Error open_pool_memory(const IpcHandle& handle, const Pool& pool, u64& address);
/// Opened again, it is the same address. Errors: InvalidValue, InvalidResourceHandle, DeviceUninitialized
/// (of this process), MemoryAllocation.
Error open_shared_memory(const IpcHandle& handle, u64& address);
/// Error: InvalidValue.
Error close_shared_memory(u64 address);
/// Frees what open_pool_memory() gave. Error: InvalidValue.
Error close_pool_memory(u64 address);
/// A pool is told of by a file descriptor (the only type of handle here: 1) that says which it is, and of
/// which device. Errors: InvalidValue, OperatingSystem.
Error export_pool(const Pool& pool, int type, int& file);
Error import_pool(int file, int type, Pool*& pool);

/// Work runs when it is submitted, and the host waits for the record of such an event (cudaEventRecord): when
/// another process has been told of the record, all before it is done. So the event itself is not shared.
void share_event(IpcHandle& handle);
/// Error: InvalidValue.
Error open_shared_event(DeviceContext& device, const IpcHandle& handle, Event*& event);

}  // namespace ww::cuda
