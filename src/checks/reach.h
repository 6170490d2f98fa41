// How far the lanes of an access reach from the first address, remembered for patterns of offsets that come
// again.
#pragma once

#include <algorithm>

#include "engine/machine.h"
#include "events/events.h"

namespace ww::checks {

struct Reach {
  int64_t low = 0, high = 0;  ///< of the lanes' offsets
  bool dense = false;         ///< each lane's bytes follow those of the lane before
};

class Reaches {
 public:
  const Reach& of(const events::Memory& e) {
    Entry& known = entries_[e.serial % kEntries];
    if (e.serial && known.serial == e.serial && known.mask == e.mask && known.bytes == e.bytes)
      return known.reach;
    Reach r{INT64_MAX, INT64_MIN, true};
    int64_t next = e.offsets[__builtin_ctz(e.mask)];
    for (events::u32 m = e.mask; m; m &= m - 1) {
      const int64_t at = e.offsets[__builtin_ctz(m)];
      r.low = std::min(r.low, at), r.high = std::max(r.high, at);
      r.dense &= at == next;
      next = at + e.bytes;
    }
    known = {e.serial, e.mask, e.bytes, r};
    return known.reach;
  }

 private:
  static constexpr size_t kEntries = 64;
  struct Entry {
    events::u64 serial = 0;
    events::u32 mask = 0, bytes = 0;
    Reach reach;
  };
  Entry entries_[kEntries];
};

}  // namespace ww::checks
