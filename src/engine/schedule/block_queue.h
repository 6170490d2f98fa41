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
  /// `all`: blocks (or clusters). `share`: as many are taken at once. `in_order`: blocks have to begin in
  /// their order, so that there is one part for all workers.
  void begin(u64 all, u64 share, int workers, bool in_order);
  /// A run for this worker: the first, and the one behind the last; none is left: both the same.
  std::pair<u64, u64> take(int worker);
  /// So many of the worker's blocks have ended.
  void add_ended(int worker, u64 count) {
    std::atomic<u64>& ended = parts_[static_cast<size_t>(worker)].ended;  // that nobody else writes
    ended.store(ended.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  /// Blocks that have, as far as the workers have told.
  u64 ended() const;

 private:
  struct alignas(64) Part {
    std::atomic<u64> next{0};  ///< the first that nobody has taken
    u64 end = 0;
    std::atomic<u64> ended{0};  ///< the worker's blocks: one number for all would go from core to core
    u64 left() const {
      const u64 from = next.load(std::memory_order_relaxed);
      return from < end ? end - from : 0;
    }
  };
  std::pair<u64, u64> take_from(Part& part) const;

  std::unique_ptr<Part[]> parts_;
  int count_ = 0, workers_ = 0, room_ = 0;
  u64 share_ = 1;
};

}  // namespace ww::engine
