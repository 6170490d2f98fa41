// What every allocation of the program is: device memory, page-locked, managed, registered, a variable of a
// module.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "cuda/abi/types.h"

namespace ww::cuda {

/// Mapped: memory that cuMemMap put behind reserved addresses.
enum class BlockKind : u8 { Device, Host, Managed, Registered, Array, Variable, Mapped };

struct Block {
  u64 base = 0;
  u64 bytes = 0;
  BlockKind kind = BlockKind::Device;
  int device = 0;
  u32 flags = 0;         ///< as given to cudaHostAlloc, cudaHostRegister, cudaMallocManaged
  Pool* pool = nullptr;  ///< of cudaMallocAsync
  u64 id = 0;
  int preferred = -2, read_mostly = 0;  ///< cudaMemAdvise
  bool variable = false;                ///< of a module, to which its memory belongs; it may be Managed
  bool on_device() const {
    return kind == BlockKind::Device || kind == BlockKind::Array || kind == BlockKind::Variable ||
           kind == BlockKind::Mapped;
  }
};

class MemoryMap {
 public:
  /// Errors: MemoryAllocation.
  Error allocate(BlockKind kind, DeviceContext& device, u64 bytes, u32 flags, u64& address);
  /// The block must be of this kind and begin here, else `wrong`.
  Error release(u64 address, BlockKind kind, Error wrong);
  /// The program's own memory, to be used by kernels (Registered), or pages of ours (Mapped). Errors:
  /// HostMemoryAlreadyRegistered, NotSupported.
  Error adopt(u64 address, u64 bytes, DeviceContext& device, u32 flags,
              BlockKind kind = BlockKind::Registered);
  Error disown(u64 address, BlockKind kind = BlockKind::Registered);
  /// A variable of a loaded module; it belongs to the module.
  void add_variable(u64 address, u64 bytes, int device, bool managed);
  void remove_variable(u64 address);

  std::optional<Block> find(u64 address) const;
  std::optional<Block> find(const void* address) const { return find(reinterpret_cast<u64>(address)); }
  /// Where the memory that holds the address ends: of its block, and of Mapped ones directly behind it. 0:
  /// there is no block.
  u64 end_of(u64 address) const;
  /// Lets `change` alter the block that holds the address; false: there is none.
  bool alter(u64 address, const std::function<void(Block&)>& change);
  /// Frees everything of a device (cudaDeviceReset).
  void release_all(int device);

 private:
  void erase(std::map<u64, Block>::iterator it);
  mutable std::mutex mutex_;
  std::map<u64, Block> blocks_;
  u64 next_id_ = 1;
};

}  // namespace ww::cuda
