#include "cuda/core/memory_map.h"

#include "cuda/core/checking.h"
#include "cuda/core/platform.h"

namespace ww::cuda {

Error MemoryMap::allocate(BlockKind kind, DeviceContext& device, u64 bytes, u32 flags, u64& address) {
  const bool counted = kind == BlockKind::Device || kind == BlockKind::Array;
  if (counted) {
    u64 had = device.allocated.fetch_add(bytes);
    if (bytes > device.memory_bytes || had > device.memory_bytes - bytes) {
      device.allocated -= bytes;
      return Error::MemoryAllocation;
    }
  }
  const bool managed = kind == BlockKind::Managed;
  auto at = Platform::get().engine().memory().allocate(bytes, {}, kind == BlockKind::Host || managed, false,
                                                       managed);
  if (!at) {
    if (counted) device.allocated -= bytes;
    return Error::MemoryAllocation;
  }
  address = *at;
  std::lock_guard lock(mutex_);
  Block& b = blocks_[address];
  b = {};
  b.base = address, b.bytes = bytes, b.kind = kind, b.device = device.number, b.flags = flags;
  b.id = next_id_++;
  if (Checking* checking = Checking::get()) checking->allocated(b);
  return Error::Success;
}

void MemoryMap::erase(std::map<u64, Block>::iterator it) {
  const Block b = it->second;
  blocks_.erase(it);
  if (Checking* checking = Checking::get()) checking->freed(b);
  Platform& platform = Platform::get();
  if (b.kind == BlockKind::Registered || b.kind == BlockKind::Mapped) {
    (void)platform.engine().memory().disown(b.base);
  } else if (!b.variable) {
    (void)platform.engine().memory().free(b.base);
    if (b.on_device()) platform.device(b.device)->allocated -= b.bytes;
  }
}

Error MemoryMap::release(u64 address, BlockKind kind, Error wrong) {
  std::lock_guard lock(mutex_);
  auto it = blocks_.find(address);
  if (it == blocks_.end() || it->second.kind != kind || it->second.variable) return wrong;
  erase(it);
  return Error::Success;
}

Error MemoryMap::adopt(u64 address, u64 bytes, DeviceContext& device, u32 flags, BlockKind kind) {
  std::lock_guard lock(mutex_);
  auto after = blocks_.lower_bound(address);
  bool overlaps =
      (after != blocks_.end() && after->first < address + bytes) ||
      (after != blocks_.begin() && std::prev(after)->second.base + std::prev(after)->second.bytes > address);
  if (overlaps) return Error::HostMemoryAlreadyRegistered;
  if (!Platform::get().engine().memory().adopt(address, bytes)) return Error::NotSupported;
  Block& b = blocks_[address];
  b = {};
  b.base = address, b.bytes = bytes, b.kind = kind, b.device = device.number;
  b.flags = flags, b.id = next_id_++;
  if (kind == BlockKind::Registered)
    if (Checking* checking = Checking::get()) checking->allocated(b);
  return Error::Success;
}

Error MemoryMap::disown(u64 address, BlockKind kind) {
  std::lock_guard lock(mutex_);
  auto it = blocks_.find(address);
  if (it == blocks_.end() || it->second.kind != kind) return Error::HostMemoryNotRegistered;
  erase(it);
  return Error::Success;
}

void MemoryMap::add_variable(u64 address, u64 bytes, int device, bool managed) {
  std::lock_guard lock(mutex_);
  Block& b = blocks_[address];
  b = {};
  b.base = address, b.bytes = bytes, b.device = device, b.id = next_id_++, b.variable = true;
  b.kind = managed ? BlockKind::Managed : BlockKind::Variable;
  b.flags = managed;  // seen by all streams (cudaMemAttachGlobal)
}

void MemoryMap::remove_variable(u64 address) {
  std::lock_guard lock(mutex_);
  auto it = blocks_.find(address);
  if (it != blocks_.end() && it->second.variable) blocks_.erase(it);
}

std::optional<Block> MemoryMap::find(u64 address) const {
  std::lock_guard lock(mutex_);
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) return {};
  const Block& b = std::prev(it)->second;
  if (address - b.base >= b.bytes && address != b.base) return {};
  return b;
}

u64 MemoryMap::end_of(u64 address) const {
  std::lock_guard lock(mutex_);
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) return 0;
  --it;
  if (address - it->second.base >= it->second.bytes) return 0;
  const BlockKind kind = it->second.kind;
  u64 end = it->second.base + it->second.bytes;
  while (kind == BlockKind::Mapped && ++it != blocks_.end() && it->first == end &&
         it->second.kind == BlockKind::Mapped)
    end += it->second.bytes;
  return end;
}

bool MemoryMap::alter(u64 address, const std::function<void(Block&)>& change) {
  std::lock_guard lock(mutex_);
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) return false;
  Block& b = std::prev(it)->second;
  if (address - b.base >= b.bytes) return false;
  change(b);
  return true;
}

void MemoryMap::release_all(int device) {
  std::lock_guard lock(mutex_);
  for (auto it = blocks_.begin(); it != blocks_.end();) {
    auto next = std::next(it);
    if (it->second.device == device && !it->second.variable && it->second.kind != BlockKind::Mapped)
      erase(it);
    it = next;
  }
}

}  // namespace ww::cuda
