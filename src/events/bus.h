// Who hears what happens during a launch.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

#include "events/events.h"

namespace ww::engine {
struct Program;
}

namespace ww::events {

/// Kinds of events, as bits. What no listener wants is not even prepared.
enum Kind : u32 {
  kMemory = 1,
  kBarriers = 2,
  kFences = 4,
  kWarpSyncs = 8,
  kCopyGroups = 16,
  kBulk = 32,  ///< bulk copies and what wgmma reads
  kMbarriers = 64,
  kFaults = 128,         ///< what a kernel does wrong
  kValues = 256,         ///< the engine keeps a shadow of registers, and Step is told
  kWrongAccesses = 512,  ///< with kFaults: after a wrong access to memory the launch goes on
  kDivisors = 1024,      ///< integer divisions by zero
  kFloats = 2048,        ///< results that are not finite, or have lost all bits
  kOverflows = 4096,     ///< products that do not fit and become addresses
  kGrids = 8192,         ///< launches by kernels, griddepcontrol
};
inline constexpr u32 kKinds = 14;

/// Whether a listener needs the warp's registers (Memory::state) when it hears of an access. Sometimes: it
/// says before when it does (needs_registers).
enum class Registers : unsigned char { Always, Sometimes, Never };

/// Called from several threads at once, each with its own blocks; a listener keeps its state apart by
/// `worker`.
class Listener {
 public:
  virtual ~Listener() = default;
  /// The kinds it wants. Begin and end of the launch and of blocks it is told in any case.
  virtual u32 wants() const = 0;
  /// Whether it must hear of one thing after the other: then one thread of the host runs the launch.
  virtual bool in_order() const { return false; }
  /// Whether it needs no more of accesses than where their lanes go (not the warp's registers, no stored
  /// values), and not to hear of them before they happen: then compiled code can note them. Of barriers it is
  /// told when all have come.
  virtual bool takes_notes() const { return false; }
  /// Where none of a launch's listeners always does, compiled code tells them of accesses.
  virtual Registers registers() const { return takes_notes() ? Registers::Never : Registers::Always; }
  /// Registers::Sometimes: whether it needs them to hear of this access, of which it is not told yet.
  virtual bool needs_registers(int /*worker*/, const Memory&) { return false; }
  virtual void launch_begins(const engine::Program&, int /*workers*/) {}
  virtual void block_begins(int /*worker*/, u64 /*block*/) {}
  virtual void memory(int /*worker*/, const Memory&) {}
  virtual void heap_free(int /*worker*/, const HeapFree&) {}  ///< kMemory
  virtual void barrier_arrival(int /*worker*/, const BarrierArrival&) {}
  virtual void barrier_release(int /*worker*/, const BarrierRelease&) {}
  virtual void fence(int /*worker*/, const Fence&) {}
  virtual void warp_sync(int /*worker*/, const WarpSync&) {}
  virtual void warp_arrival(int /*worker*/, const WarpArrival&) {}
  virtual void step(int /*worker*/, const Step&) {}
  /// kValues: printf takes an argument from the memory where it should lie.
  virtual void printed(int /*worker*/, const Memory&) {}
  virtual void passed(int /*worker*/, const Passed&) {}  ///< kValues
  virtual void zero_divisor(int /*worker*/, const ZeroDivisor&) {}
  virtual void not_finite(int /*worker*/, const NotFinite&) {}
  virtual void lost_bits(int /*worker*/, const LostBits&) {}
  virtual void overflow(int /*worker*/, const Overflow&) {}
  virtual void copy_groups(int /*worker*/, const CopyGroups&) {}
  virtual void bulk_access(int /*worker*/, const BulkAccess&) {}
  virtual void mbarrier(int /*worker*/, const Mbarrier&) {}
  virtual void cluster_barrier(int /*worker*/, const ClusterBarrier&) {}  ///< kBarriers
  virtual void grids(int /*worker*/, const Grids&) {}
  virtual void wrong(int /*worker*/, const Wrong&) {}
  virtual void block_ends(int /*worker*/, u64 /*block*/) {}
  virtual void launch_ends() {}

  // Told to those who listen to the engine's memory (HostBus), whatever kinds they want; from any thread,
  // also during a launch.
  virtual void allocated(const Allocated&) {}
  virtual void freed(u64 /*address*/) {}  ///< once kernels can use it no more; its address does not come
                                          ///< again unless it was lent by the host
  virtual void host_access(const HostAccess&) {}
  virtual void stream_order(const StreamOrder&) {}
};

/// The listeners of a launch. It does not own them; they are told in the order in which they were given.
class Bus {
 public:
  Bus() = default;
  /// The list must outlive it. What all listeners hear takes no memory: a launch most often has one.
  explicit Bus(std::span<Listener* const> listeners) : all_(listeners) {
    u32 common = ~u32{0};
    for (Listener* l : all_) {
      const u32 wants = l->wants();
      wanted_ |= wants;
      common &= wants;
      if (wants & kMemory && l->registers() == Registers::Sometimes) sometimes_.push_back(l);
    }
    if (common != wanted_) some_.reserve(all_.size() * kKinds);  // they stay where they are
    for (u32 kind = 0; kind < kKinds; ++kind) {
      if (common >> kind & 1) {
        by_kind_[kind] = all_;
      } else if (wanted_ >> kind & 1) {
        const size_t first = some_.size();
        for (Listener* l : all_)
          if (l->wants() >> kind & 1) some_.push_back(l);
        by_kind_[kind] = std::span<Listener* const>(some_).subspan(first);
      }
    }
  }
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  bool empty() const { return all_.empty(); }
  bool hears(Kind kind) const { return wanted_ & kind; }
  u32 wanted() const { return wanted_; }
  bool in_order() const {
    return std::any_of(all_.begin(), all_.end(), [](const Listener* l) { return l->in_order(); });
  }
  /// Whether nobody hears of what instructions do, unless it goes wrong.
  bool hears_faults_only() const { return (wanted_ & ~u32{kFaults | kWrongAccesses}) == 0; }
  /// Whether all who hear anything of what instructions do take notes of it.
  bool takes_notes() const {
    constexpr u32 kNoted = kMemory | kBarriers | kBulk, kRare = kFaults | kWrongAccesses;
    return std::all_of(all_.begin(), all_.end(), [&](const Listener* l) {
      const u32 wants = l->wants() & ~kRare;
      return wants == 0 || (l->takes_notes() && (wants & ~kNoted) == 0);
    });
  }

  /// Whether all who hear of accesses can do without the warp's registers, at least mostly.
  bool goes_without_registers() const {
    return std::ranges::all_of(those_of(kMemory),
                               [](const Listener* l) { return l->registers() != Registers::Always; });
  }
  bool needs_registers(int worker, const Memory& e) const {
    return std::any_of(sometimes_.begin(), sometimes_.end(),
                       [&](Listener* l) { return l->needs_registers(worker, e); });
  }

  void launch_begins(const engine::Program& program, int workers) const {
    for (Listener* l : all_) l->launch_begins(program, workers);
  }
  void block_begins(int worker, u64 block) const {
    for (Listener* l : all_) l->block_begins(worker, block);
  }
  void block_ends(int worker, u64 block) const {
    for (Listener* l : all_) l->block_ends(worker, block);
  }
  void launch_ends() const {
    for (Listener* l : all_) l->launch_ends();
  }
  void memory(int worker, const Memory& e) const {
    for (Listener* l : those_of(kMemory)) l->memory(worker, e);
  }
  void tell_printed(int worker, const Memory& e) const {
    tell(kValues, [&](Listener& l) { l.printed(worker, e); });
  }
  void tell(int worker, const HeapFree& e) const {
    tell(kMemory, [&](Listener& l) { l.heap_free(worker, e); });
  }
  void tell(int worker, const BarrierArrival& e) const {
    tell(kBarriers, [&](Listener& l) { l.barrier_arrival(worker, e); });
  }
  void tell(int worker, const BarrierRelease& e) const {
    tell(kBarriers, [&](Listener& l) { l.barrier_release(worker, e); });
  }
  void tell(int worker, const ClusterBarrier& e) const {
    tell(kBarriers, [&](Listener& l) { l.cluster_barrier(worker, e); });
  }
  void tell(int worker, const Fence& e) const {
    tell(kFences, [&](Listener& l) { l.fence(worker, e); });
  }
  void tell(int worker, const WarpSync& e) const {
    tell(kWarpSyncs, [&](Listener& l) { l.warp_sync(worker, e); });
  }
  void tell(int worker, const WarpArrival& e) const {
    tell(kWarpSyncs, [&](Listener& l) { l.warp_arrival(worker, e); });
  }
  void tell(int worker, const ZeroDivisor& e) const {
    tell(kDivisors, [&](Listener& l) { l.zero_divisor(worker, e); });
  }
  void tell(int worker, const NotFinite& e) const {
    tell(kFloats, [&](Listener& l) { l.not_finite(worker, e); });
  }
  void tell(int worker, const LostBits& e) const {
    tell(kFloats, [&](Listener& l) { l.lost_bits(worker, e); });
  }
  void tell(int worker, const Overflow& e) const {
    tell(kOverflows, [&](Listener& l) { l.overflow(worker, e); });
  }
  void tell(int worker, const Step& e) const {
    tell(kValues, [&](Listener& l) { l.step(worker, e); });
  }
  void tell(int worker, const Passed& e) const {
    tell(kValues, [&](Listener& l) { l.passed(worker, e); });
  }
  void tell(int worker, const CopyGroups& e) const {
    tell(kCopyGroups, [&](Listener& l) { l.copy_groups(worker, e); });
  }
  void tell(int worker, const BulkAccess& e) const {
    tell(kBulk, [&](Listener& l) { l.bulk_access(worker, e); });
  }
  void tell(int worker, const Mbarrier& e) const {
    tell(kMbarriers, [&](Listener& l) { l.mbarrier(worker, e); });
  }
  void tell(int worker, const Grids& e) const {
    tell(kGrids, [&](Listener& l) { l.grids(worker, e); });
  }
  void tell(int worker, const Wrong& e) const {
    tell(kFaults, [&](Listener& l) { l.wrong(worker, e); });
  }

 private:
  template <class F>
  void tell(Kind kind, const F& call) const {
    for (Listener* l : those_of(kind)) call(*l);
  }
  std::span<Listener* const> those_of(Kind kind) const {
    return by_kind_[static_cast<size_t>(std::countr_zero(static_cast<u32>(kind)))];
  }

  std::span<Listener* const> all_;
  std::array<std::span<Listener* const>, kKinds> by_kind_;
  std::vector<Listener*> some_, sometimes_;
  u32 wanted_ = 0;
};

/// Those who hear of memory that kernels may use, for as long as they listen. It does not own them.
class HostBus {
 public:
  void listen(Listener& listener) {
    std::unique_lock lock(mutex_);
    all_.push_back(&listener);
    nobody_ = false;
  }
  void ignore(const Listener& listener) {
    std::unique_lock lock(mutex_);
    std::erase(all_, &listener);
    nobody_ = all_.empty();
  }
  bool nobody() const { return nobody_.load(std::memory_order_relaxed); }

  void tell(const Allocated& e) const {
    tell([&](Listener& l) { l.allocated(e); });
  }
  void tell_freed(u64 address) const {
    tell([&](Listener& l) { l.freed(address); });
  }
  void tell(const HostAccess& e) const {
    tell([&](Listener& l) { l.host_access(e); });
  }
  void tell(const StreamOrder& e) const {
    tell([&](Listener& l) { l.stream_order(e); });
  }

 private:
  template <class F>
  void tell(const F& call) const {
    if (nobody()) return;
    std::shared_lock lock(mutex_);
    for (Listener* l : all_) call(*l);
  }

  mutable std::shared_mutex mutex_;
  std::vector<Listener*> all_;
  std::atomic<bool> nobody_{true};
};

}  // namespace ww::events
