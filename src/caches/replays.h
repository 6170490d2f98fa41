// Replays that were made before: a program that launches a kernel again on the same data asks for the same
// again.
#pragma once

#include <mutex>
#include <unordered_map>

#include "caches/replay.h"

namespace ww::caches {

/// Keeps what replays gave. Several threads may ask at once.
class Replays {
 public:
  /// replay() of these, or what it gave when the same requests went through the same caches before.
  Replay of(const GridTrace& grid, const CacheSetup& setup, u64 budget);

 private:
  struct Entry {
    TraceDigest digest;
    CacheSetup setup;
    u64 budget;
    Replay replay;
  };
  static constexpr size_t kMost = 1 << 14;  ///< entries (some 10 MB); then all are forgotten

  std::mutex mutex_;
  std::unordered_multimap<u64, Entry> entries_;  ///< by the digest's first half
};

}  // namespace ww::caches
