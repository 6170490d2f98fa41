// The blocks of a launch, which its workers share out among themselves.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "engine/machine.h"

namespace ww::engine {

/// Each worker has a part of the grid for itself, and helps others when it is done: so what a block reads is
/// in the cache of the processor that had the same block in the launch before. (One step of Gauss's
/// algorithm, 4 MB in the caches of two cores: 275 us from one counter for all, 190 with parts, 2026-11-29.)
class BlockQueue {
 public:
  /// `all`: blocks (or clusters). `share`: as many are taken at once. `parts`: workers, or 1, where blocks
  /// have to begin in their order.
  void begin(u64 all, u64 share, int parts);
  /// A run for this worker: the first, and the one behind the last; none is left: both the same.
  std::pair<u64, u64> take(int worker);

 private:
  struct alignas(64) Part {
    std::atomic<u64> next{0};  ///< the first that nobody has taken
    u64 end = 0;
    u64 left() const {
      const u64 from = next.load(std::memory_order_relaxed);
      return from < end ? end - from : 0;
    }
  };
  std::pair<u64, u64> take_from(Part& part) const;

  std::unique_ptr<Part[]> parts_;
  int count_ = 0, room_ = 0;
  u64 share_ = 1;
};

}  // namespace ww::engine
