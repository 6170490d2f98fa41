// What several lanes know, put together.
#pragma once

#include <unordered_set>

#include "checks/races/clock.h"

namespace ww::checks::races {

/// Collects clocks, of which most lanes share a few. Made a clock only at the end, so that what many lanes
/// know of many words is not compared each with each.
class Gathering {
 public:
  void add(const SharedClock& clock) {
    if (clock && !clock->empty() && seen_.insert(clock.get()).second) whole_.push_back(clock);
  }
  void add(Clock&& clock) { own_.join(clock); }

  /// All of it; null where it is nothing.
  SharedClock all() const;
  /// Without what is said of the threads of one block, which all of them know by now.
  SharedClock all_but(u32 block) const;
  /// All, but what logs say of no other block than this one stands as entries, which do not grow.
  SharedClock all_with_entries_of(u32 block) const;

 private:
  enum class Own { Keep, Drop, Entries };
  SharedClock made(Own what, u32 block) const;

  std::vector<SharedClock> whole_;
  std::unordered_set<const Clock*> seen_;
  Clock own_;
};

}  // namespace ww::checks::races
