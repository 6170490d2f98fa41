// Global memory of the device: allocations in one large reserved range of addresses. An address is never used
// twice as long as the range lasts, so a use after free is always recognised.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/machine.h"
#include "events/bus.h"

namespace ww::engine {

/// Where global memory begins. The same addresses are free on the host, so that one number means the same
/// byte on both sides (unified addresses): below are libraries where the stack is unlimited (from
/// 0x2aaaaaaab000) and the pages that V8 scatters (node; below 0x400000000000), above is the program. No
/// window of generic addresses (machine.h) is near.
inline constexpr u64 kMemoryBase = u64{0x4000} << 32;

struct Allocation {
  u64 base = 0;
  u64 size = 0;
  bool freed = false;
  bool heap = false;  ///< by malloc inside a kernel
  bool host = false;  ///< the program's own memory, lent by adopt()
  std::string name;   ///< of a module's variable, "" for plain allocations
};

struct GlobalMemory {
  /// Reserves addresses (not memory). `limit` is the number of bytes that may be allocated at one time. With
  /// a `gap`, so many addresses behind each allocation, or as many as it has bytes (up to 64 times the gap),
  /// stay unused, so that running far over an end is seen.
  explicit GlobalMemory(u64 limit, u64 gap = 0);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  /// Zero-filled. Aligned to 512 bytes, with at least as much unused space behind. `set`: its bytes count as
  /// written (a variable; memory that the host writes without telling: `of_host`). Error: out of memory, with
  /// what is left.
  /// `constant`: kernels may only read it.
  Result<u64> allocate(u64 bytes, std::string name = {}, bool set = false, bool constant = false,
                       bool of_host = false);
  /// Error: not an allocation, freed before, an address inside of one, or one made by malloc in a kernel.
  Status free(u64 address);

  /// Whether an address of the device is the same number on the host: so unless the addresses from
  /// kGlobalBase on were taken (a second memory in one process has others, and so may a sanitizer's build).
  bool unified() const { return arena_ == reinterpret_cast<u8*>(kMemoryBase); }
  /// Lets kernels use memory of the host at its own address. Error: not unified, or it overlaps an
  /// allocation.
  Status adopt(u64 address, u64 bytes, std::string name = {});
  /// Ends it. Error: not adopted.
  Status disown(u64 address);

  /// malloc in a kernel. Zero-filled, aligned to 16 bytes, with at least 16 unused bytes behind; 0 when
  /// `heap_limit` bytes of the heap (or the device's memory) would be exceeded, and for 0 bytes.
  u64 allocate_heap(u64 bytes, u64 heap_limit);
  /// free in a kernel. Error as for free(); only what malloc gave may be freed.
  Status free_heap(u64 address);

  struct Range {
    u64 base = 0, size = 0;
  };
  /// Those of all live allocations, by base.
  std::vector<Range> live() const;
  size_t live_count() const;
  /// The live allocation that holds the address.
  std::optional<Allocation> find(u64 address) const;
  /// The allocation (live or freed) nearest to the address, for messages.
  std::optional<Allocation> nearest(u64 address) const;

  /// Host pointer of an address inside the range.
  u8* host(u64 address) const { return arena_ + (address - kMemoryBase); }

  /// Who hears of allocations, and of what the host does to them: whoever copies for the host tells it there.
  events::HostBus& host_events() const { return host_events_; }

  u64 allocated() const { return allocated_; }
  u64 limit() const { return limit_; }
  /// Changes whenever an allocation is freed: remembered windows are valid for one epoch.
  u32 epoch() const { return epoch_; }
  /// Where it is kept. Read while others free memory, as any use after free is: late by a moment at worst.
  const u32* epoch_place() const { return &epoch_; }

 private:
  /// What is there no longer is remembered for messages. The caller holds the lock.
  void retire(std::map<u64, Allocation>::iterator allocation);
  /// Fresh pages with room for `size` bytes; 0 if there are none. The caller holds the lock.
  u64 place(u64 size);
  Status release(u64 address, bool heap);

  u8* arena_ = nullptr;
  u64 reserved_ = 0;
  u64 next_ = 0;  ///< offset of the first address never used
  u64 limit_ = 0;
  const u64 gap_;
  u64 allocated_ = 0;
  u64 heap_allocated_ = 0;
  u64 chunk_ = 0, chunk_end_ = 0;  ///< addresses where small allocations of the heap are packed
  u32 epoch_ = 0;
  mutable events::HostBus host_events_;
  mutable std::mutex mutex_;
  std::map<u64, Allocation> live_;   ///< by base
  std::map<u64, Allocation> freed_;  ///< by base, for messages: apart, since programs free without end
  std::deque<u64> oldest_freed_;     ///< the same, oldest first
};

/// One thread's view of global memory: mostly finds allocations without the lock.
class AllocationCache {
 public:
  explicit AllocationCache(const GlobalMemory& memory) : memory_(memory) {}
  /// The live allocation that holds the address; its size is 0 where there is none.
  GlobalMemory::Range find(u64 address) {
    if (const u32 now = __atomic_load_n(memory_.epoch_place(), __ATOMIC_ACQUIRE); now != epoch_) forget(now);
    for (const GlobalMemory::Range& r : last_)
      if (address - r.base < r.size) return r;
    return look_up(address);
  }

 private:
  void forget(u32 epoch);
  GlobalMemory::Range look_up(u64 address);

  const GlobalMemory& memory_;
  u32 epoch_ = 0;                           ///< all below was true then, and is until something is freed
  GlobalMemory::Range last_[4] = {};        ///< found last
  u32 next_ = 0;                            ///< which of them is replaced next
  std::vector<GlobalMemory::Range> known_;  ///< by base; those allocated since are missing
  size_t missed_ = 0;                       ///< how often one was looked up that is not known
};

}  // namespace ww::engine
