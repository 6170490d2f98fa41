// Virtual memory management: addresses that a program reserves, memory that it makes, and the one put behind
// the other. Memory is a file in memory, so that it can lie behind several addresses at once.
#pragma once

#include "cuda/abi/driver.h"
#include "cuda/core/platform.h"

namespace ww::cuda {

/// Sizes and places are multiples of it, as on cards with 2 MiB pages.
inline constexpr u64 kGranularity = u64{2} << 20;

/// Errors: InvalidValue, MemoryAllocation, NotSupported (addresses of the two sides differ).
Error reserve_addresses(u64 bytes, u64 alignment, u64 wanted, u64& address);
/// Whether a program has reserved it, mapped or not.
bool is_reserved_address(u64 address);
Error free_addresses(u64 address, u64 bytes);
/// Errors: InvalidValue, InvalidDevice, MemoryAllocation, NotSupported (to be shared with other processes).
Error create_memory(const MemAllocationProp& props, u64 bytes, u64& handle);
/// A file descriptor that another process may make memory of: the same bytes. Errors: InvalidValue (memory
/// that was not made for it), NotSupported (another kind of handle).
Error export_memory(u64 handle, int type, int& file);
/// Errors: InvalidValue (not one of ours), InvalidDevice, NotSupported.
Error import_memory(int file, int type, u64& handle);
/// The memory goes with its last mapping.
Error release_memory(u64 handle);
Error map_memory(u64 address, u64 bytes, u64 offset, u64 handle);
Error unmap_memory(u64 address, u64 bytes);
/// `flags`: 0 none, 1 read, 3 read and write. Kernels may not tell reading from writing.
Error set_access(u64 address, u64 bytes, int flags);
Error access_of(u64 address, u64& flags);
Error properties_of(u64 handle, MemAllocationProp& props);
/// The memory behind an address; counts as one more use of it.
Error retain_memory(u64 address, u64& handle);

}  // namespace ww::cuda
