#include "engine/memory/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <new>

#include "base/round.h"

namespace ww::engine {

namespace {
constexpr u64 kAlignment = 512;
constexpr size_t kRemembered = 4096;  // freed allocations kept for messages
constexpr u64 kPacked = 1024,
              kChunk = 64 * 1024;  // allocations of the heap up to this size share chunks of pages
constexpr u64 kGap = 16;           // between them, so that running over an end is seen
constexpr u64 kWideGap = 512;      // where wide gaps are wanted
u64 page_up(u64 v) {
  static const u64 page = static_cast<u64>(sysconf(_SC_PAGESIZE));
  return round_up(v, page);
}
}  // namespace

GlobalMemory::GlobalMemory(u64 limit, u64 gap) : limit_(limit), gap_(gap) {
  // As many addresses as the system lets us reserve; no memory is used before allocate().
  for (u64 size = u64{1} << 44; size >= u64{1} << 30; size /= 2) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* wanted = reinterpret_cast<void*>(kMemoryBase);
    void* p = mmap(wanted, size, PROT_NONE, kFlags | MAP_FIXED_NOREPLACE, -1, 0);
    if (p != MAP_FAILED && p != wanted) {  // a kernel before Linux 4.17 takes it for a wish
      munmap(p, size);
      p = MAP_FAILED;
    }
    if (p == MAP_FAILED) p = mmap(nullptr, size, PROT_NONE, kFlags, -1, 0);
    if (p == MAP_FAILED) continue;
    arena_ = static_cast<u8*>(p);
    reserved_ = size;
    return;
  }
  throw std::bad_alloc();
}

GlobalMemory::~GlobalMemory() { munmap(arena_, reserved_); }

u64 GlobalMemory::place(u64 size) {
  u64 room = page_up(size + kAlignment + std::clamp(size, gap_, 64 * gap_));
  if (room < size || room > reserved_ - next_) return 0;
  if (mprotect(arena_ + next_, room, PROT_READ | PROT_WRITE) != 0) return 0;
  u64 base = kMemoryBase + next_;
  next_ += room;
  return base;
}

Result<u64> GlobalMemory::allocate(u64 bytes, std::string name, bool set, bool constant) {
  std::unique_lock lock(mutex_);
  u64 size = bytes == 0 ? 1 : bytes;
  if (size > limit_ - allocated_)
    return error(fmt::format("out of device memory: {} bytes wanted, {} of {} bytes are free", bytes,
                             limit_ - allocated_, limit_));
  u64 base = place(size);
  if (!base) return error(fmt::format("out of host memory: {} bytes wanted", bytes));
  allocated_ += size;
  allocations_[base] = {base, size, false, false, false, std::move(name)};
  lock.unlock();
  host_events_.tell(events::Allocated{base, size, false, set, constant});
  return base;
}

Status GlobalMemory::adopt(u64 address, u64 bytes, std::string name) {
  std::unique_lock lock(mutex_);
  if (!unified()) return error("memory of the host cannot be seen by kernels in this process");
  if (bytes == 0 || address + bytes < address) return error("no memory");
  auto after = allocations_.lower_bound(address);
  // Addresses of the host come again, unlike ours: what was disowned here is forgotten.
  while (after != allocations_.end() && after->first < address + bytes) {
    if (!after->second.freed || !after->second.host) return error("it overlaps an allocation");
    std::erase(freed_, after->first);
    after = allocations_.erase(after);
  }
  if (after != allocations_.begin()) {
    const Allocation& before = std::prev(after)->second;
    if (before.base + before.size > address) {
      if (!before.freed || !before.host) return error("it overlaps an allocation");
      std::erase(freed_, before.base);
      allocations_.erase(std::prev(after));
    }
  }
  allocations_[address] = {address, bytes, false, false, true, std::move(name)};
  lock.unlock();
  host_events_.tell(events::Allocated{address, bytes, false, true});
  return {};
}

Status GlobalMemory::disown(u64 address) {
  std::unique_lock lock(mutex_);
  auto it = allocations_.find(address);
  if (it == allocations_.end() || !it->second.host || it->second.freed)
    return error(fmt::format("0x{:x} is not memory of the host that kernels may use", address));
  it->second.freed = true;
  __atomic_fetch_add(&epoch_, 1, __ATOMIC_RELEASE);
  freed_.push_back(address);
  lock.unlock();
  host_events_.tell_freed(address);
  return {};
}

u64 GlobalMemory::allocate_heap(u64 bytes, u64 heap_limit) {
  std::unique_lock lock(mutex_);
  if (bytes == 0 || heap_allocated_ > heap_limit || bytes > heap_limit - heap_allocated_ ||
      bytes > limit_ - allocated_)
    return 0;
  u64 base = 0;
  if (bytes > kPacked) {
    base = place(bytes);
  } else {
    u64 room = round_up(bytes + (gap_ ? kWideGap : kGap), kGap);
    if (room > chunk_end_ - chunk_) {
      chunk_ = place(kChunk);
      chunk_end_ = chunk_ ? chunk_ + kChunk : 0;
    }
    base = chunk_;
    if (base) chunk_ += room;
  }
  if (!base) return 0;
  allocated_ += bytes;
  heap_allocated_ += bytes;
  allocations_[base] = {base, bytes, false, true, false, {}};
  lock.unlock();
  host_events_.tell(events::Allocated{base, bytes, true, false});
  return base;
}

Status GlobalMemory::free(u64 address) { return release(address, false); }
Status GlobalMemory::free_heap(u64 address) { return release(address, true); }

Status GlobalMemory::release(u64 address, bool heap) {
  std::unique_lock lock(mutex_);
  auto it = allocations_.find(address);
  if (it == allocations_.end())
    return error(fmt::format("free of 0x{:x}, which is not the start of an allocation", address));
  if (it->second.freed) return error(fmt::format("free of 0x{:x}, which was freed before", address));
  if (it->second.host) return error(fmt::format("free of 0x{:x}, which is memory of the host", address));
  if (it->second.heap != heap)
    return error(fmt::format("free of 0x{:x}, which was {}", address,
                             heap ? "not allocated by malloc in a kernel"
                                  : "allocated by malloc in a kernel and can be freed only there"));
  it->second.freed = true;
  u64 size = it->second.size;
  allocated_ -= size;
  if (heap) heap_allocated_ -= size;
  // Stays mapped: a block that still uses it must not take the process down. Packed ones share their pages
  // with others.
  if (!heap || size > kPacked) madvise(host(address), page_up(size + kAlignment), MADV_DONTNEED);
  __atomic_fetch_add(&epoch_, 1, __ATOMIC_RELEASE);
  freed_.push_back(address);
  if (freed_.size() > kRemembered) {
    allocations_.erase(freed_.front());
    freed_.pop_front();
  }
  lock.unlock();
  host_events_.tell_freed(address);
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

std::vector<GlobalMemory::Range> GlobalMemory::live() const {
  std::lock_guard lock(mutex_);
  std::vector<Range> out;
  for (const auto& [base, a] : allocations_)
    if (!a.freed) out.push_back({base, a.size});
  return out;
}

void AllocationCache::forget(u32 epoch) {
  epoch_ = epoch;
  known_.clear();
  missed_ = 0;
  for (auto& r : last_) r = {};
}

GlobalMemory::Range AllocationCache::look_up(u64 address) {
  auto after = std::upper_bound(known_.begin(), known_.end(), address,
                                [](u64 a, const GlobalMemory::Range& r) { return a < r.base; });
  GlobalMemory::Range found;
  if (after != known_.begin() && address - std::prev(after)->base < std::prev(after)->size) {
    found = *std::prev(after);
  } else {
    const auto a = memory_.find(address);
    if (!a) return {};
    found = {a->base, a->size};
    if (++missed_ > known_.size() / 4) known_ = memory_.live(), missed_ = 0;
  }
  return last_[next_++ % 4] = found;
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
