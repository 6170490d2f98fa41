#include "engine/memory/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
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

/// A page of 2 MiB takes as much memory as soon as a byte of it is touched: large pages are only for as much
/// as the machine has even if all of it is, and a part to spare.
u64 most_in_large_pages() {
  static const u64 bytes =
      static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE)) / 4;
  return bytes;
}

/// Of pages of 4 KiB the processor has to look up more than it remembers, in kernels that go here and there
/// in much memory, and each costs a fault when it is touched first.
void want_large_pages([[maybe_unused]] u8* from, [[maybe_unused]] u64 bytes) {
#ifdef MADV_HUGEPAGE
  constexpr u64 kLargePage = u64{2} << 20;
  constexpr u32 kMost = 8192;  // each may be a mapping of its own, of 65530 that Linux lets a process have
  static std::atomic<u32> asked = 0;
  const u64 begin = round_up(reinterpret_cast<u64>(from), kLargePage);
  const u64 end = (reinterpret_cast<u64>(from) + bytes) / kLargePage * kLargePage;
  if (begin < end && asked++ < kMost) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

/// The first allocation of which a byte lies there; end(): there is none.
template <class Map>
auto first_within(Map& all, u64 address, u64 bytes) {
  auto it = all.upper_bound(address);
  if (it != all.begin() && address - std::prev(it)->first < std::prev(it)->second.size) return std::prev(it);
  return it != all.end() && it->first < address + bytes ? it : all.end();
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
  if (allocated_ + size <= most_in_large_pages()) want_large_pages(arena_ + next_, size);
  next_ += room;
  return base;
}

Result<u64> GlobalMemory::allocate(u64 bytes, std::string name, bool set, bool constant, bool of_host) {
  std::unique_lock lock(mutex_);
  u64 size = bytes == 0 ? 1 : bytes;
  if (size > limit_ - allocated_)
    return error(fmt::format("out of device memory: {} bytes wanted, {} of {} bytes are free", bytes,
                             limit_ - allocated_, limit_));
  u64 base = place(size);
  if (!base) return error(fmt::format("out of host memory: {} bytes wanted", bytes));
  allocated_ += size;
  live_[base] = {base, size, false, false, false, std::move(name)};
  lock.unlock();
  host_events_.tell(events::Allocated{base, size, false, set, constant, of_host && unified()});
  return base;
}

Status GlobalMemory::adopt(u64 address, u64 bytes, std::string name) {
  std::unique_lock lock(mutex_);
  if (!unified()) return error("memory of the host cannot be seen by kernels in this process");
  if (bytes == 0 || address + bytes < address) return error("no memory");
  if (first_within(live_, address, bytes) != live_.end()) return error("it overlaps an allocation");
  // Addresses of the host come again, unlike ours: what was disowned here is forgotten.
  for (auto it = freed_.end(); (it = first_within(freed_, address, bytes)) != freed_.end();) {
    if (!it->second.host) return error("it overlaps an allocation");
    std::erase(oldest_freed_, it->first);
    freed_.erase(it);
  }
  live_[address] = {address, bytes, false, false, true, std::move(name)};
  lock.unlock();
  host_events_.tell(events::Allocated{address, bytes, false, true});
  return {};
}

Status GlobalMemory::disown(u64 address) {
  std::unique_lock lock(mutex_);
  auto it = live_.find(address);
  if (it == live_.end() || !it->second.host)
    return error(fmt::format("0x{:x} is not memory of the host that kernels may use", address));
  retire(it);
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
  live_[base] = {base, bytes, false, true, false, {}};
  lock.unlock();
  host_events_.tell(events::Allocated{base, bytes, true, false});
  return base;
}

Status GlobalMemory::free(u64 address) { return release(address, false); }
Status GlobalMemory::free_heap(u64 address) { return release(address, true); }

Status GlobalMemory::release(u64 address, bool heap) {
  std::unique_lock lock(mutex_);
  auto it = live_.find(address);
  if (it == live_.end())
    return error(
        fmt::format("free of 0x{:x}, which {}", address,
                    freed_.contains(address) ? "was freed before" : "is not the start of an allocation"));
  if (it->second.host) return error(fmt::format("free of 0x{:x}, which is memory of the host", address));
  if (it->second.heap != heap)
    return error(fmt::format("free of 0x{:x}, which was {}", address,
                             heap ? "not allocated by malloc in a kernel"
                                  : "allocated by malloc in a kernel and can be freed only there"));
  const u64 size = it->second.size;
  allocated_ -= size;
  if (heap) heap_allocated_ -= size;
  // Stays mapped: a block that still uses it must not take the process down. Packed ones share their pages
  // with others.
  if (!heap || size > kPacked) madvise(host(address), page_up(size + kAlignment), MADV_DONTNEED);
  retire(it);
  lock.unlock();
  host_events_.tell_freed(address);
  return {};
}

void GlobalMemory::retire(std::map<u64, Allocation>::iterator allocation) {
  const u64 address = allocation->first;
  auto& gone = freed_[address] = std::move(allocation->second);
  gone.freed = true;
  live_.erase(allocation);
  __atomic_fetch_add(&epoch_, 1, __ATOMIC_RELEASE);
  oldest_freed_.push_back(address);
  if (oldest_freed_.size() <= kRemembered) return;
  freed_.erase(oldest_freed_.front());
  oldest_freed_.pop_front();
}

std::optional<Allocation> GlobalMemory::find(u64 address) const {
  std::lock_guard lock(mutex_);
  auto it = live_.upper_bound(address);
  if (it == live_.begin()) return {};
  const Allocation& a = std::prev(it)->second;
  if (address - a.base >= a.size) return {};
  return a;
}

std::vector<GlobalMemory::Range> GlobalMemory::live() const {
  std::lock_guard lock(mutex_);
  std::vector<Range> out;
  out.reserve(live_.size());
  for (const auto& [base, a] : live_) out.push_back({base, a.size});
  return out;
}

size_t GlobalMemory::live_count() const {
  std::lock_guard lock(mutex_);
  return live_.size();
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
    // Once as many were looked up as an eighth of all there are, since to list one is cheaper.
    if (++missed_ > memory_.live_count() / 8) known_ = memory_.live(), missed_ = 0;
  }
  return last_[next_++ % 4] = found;
}

std::optional<Allocation> GlobalMemory::nearest(u64 address) const {
  std::lock_guard lock(mutex_);
  const Allocation* nearest = nullptr;
  u64 least = 0;
  // 0: it holds the address. At the same distance: before it rather than behind, live rather than freed.
  const auto look_at = [&](const Allocation& a, u64 distance) {
    if (!nearest || distance < least) nearest = &a, least = distance;
  };
  for (const auto* all : {&live_, &freed_}) {
    const auto after = all->upper_bound(address);
    if (after != all->begin()) {
      const Allocation& a = std::prev(after)->second;
      look_at(a, address < a.base + a.size ? 0 : address - (a.base + a.size) + 1);
    }
    if (after != all->end()) look_at(after->second, after->first - address + 1);
  }
  return nearest ? std::optional(*nearest) : std::nullopt;
}

}  // namespace ww::engine
