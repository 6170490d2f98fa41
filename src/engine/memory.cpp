#include "engine/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <new>

namespace ww::engine {

namespace {
constexpr u64 kAlignment = 512;
constexpr size_t kRemembered = 4096;  // freed allocations kept for messages
u64 page_up(u64 v) {
  static const u64 page = static_cast<u64>(sysconf(_SC_PAGESIZE));
  return (v + page - 1) / page * page;
}
}  // namespace

GlobalMemory::GlobalMemory(u64 limit) : limit_(limit) {
  // As many addresses as the system lets us reserve; no memory is used before allocate().
  for (u64 size = u64{1} << 44; size >= u64{1} << 30; size /= 2) {
    void* p = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) continue;
    arena_ = static_cast<u8*>(p);
    reserved_ = size;
    return;
  }
  throw std::bad_alloc();
}

GlobalMemory::~GlobalMemory() { munmap(arena_, reserved_); }

Result<u64> GlobalMemory::allocate(u64 bytes, std::string name, bool heap) {
  std::lock_guard lock(mutex_);
  u64 size = bytes == 0 ? 1 : bytes;
  u64 room = page_up(size + kAlignment);
  if (room < size || size > limit_ - allocated_ || room > reserved_ - next_)
    return error(fmt::format("out of device memory: {} bytes wanted, {} of {} bytes are free", bytes,
                             limit_ - allocated_, limit_));
  u8* p = arena_ + next_;
  if (mprotect(p, room, PROT_READ | PROT_WRITE) != 0)
    return error(fmt::format("out of host memory: {} bytes wanted", bytes));
  u64 base = kGlobalBase + next_;
  next_ += room;
  allocated_ += size;
  allocations_[base] = {base, size, false, heap, std::move(name)};
  return base;
}

Status GlobalMemory::free(u64 address) {
  std::lock_guard lock(mutex_);
  auto it = allocations_.find(address);
  if (it == allocations_.end())
    return error(fmt::format("free of 0x{:x}, which is not the start of an allocation", address));
  if (it->second.freed) return error(fmt::format("free of 0x{:x}, which was freed before", address));
  it->second.freed = true;
  allocated_ -= it->second.size;
  u64 room = page_up(it->second.size + kAlignment);
  u8* p = host(address);
  madvise(p, room, MADV_DONTNEED);  // stays mapped: a block that still uses it must not take the process down
  __atomic_fetch_add(&epoch_, 1, __ATOMIC_RELEASE);
  if (allocations_.size() > kRemembered)
    for (auto old = allocations_.begin(); old != allocations_.end(); ++old)
      if (old->second.freed && old != it) {
        allocations_.erase(old);
        break;
      }
  return {};
}

std::optional<Allocation> GlobalMemory::find(u64 address) const {
  std::lock_guard lock(mutex_);
  auto it = allocations_.upper_bound(address);
  if (it == allocations_.begin()) return {};
  const Allocation& a = std::prev(it)->second;
  if (a.freed || address - a.base >= a.size) return {};
  return a;
}

std::optional<Allocation> GlobalMemory::nearest(u64 address) const {
  std::lock_guard lock(mutex_);
  if (allocations_.empty()) return {};
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return after->second;
  const Allocation& before = std::prev(after)->second;
  if (after == allocations_.end() || address < before.base + before.size) return before;
  return address - (before.base + before.size) <= after->first - address ? before : after->second;
}

}  // namespace ww::engine
