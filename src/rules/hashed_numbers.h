// A table from hashes to numbers: of patterns, mostly, that stand in a list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ww::rules {

/// Finds numbers by the hash of what they stand for; the caller compares.
class HashedNumbers {
 public:
  /// The first of those put in with this hash that `is` says yes to; else `fresh`, which is put in.
  template <class Is>
  uint32_t find(uint64_t hash, uint32_t fresh, Is&& is) {
    if (2 * (used_ + 1) > places_.size()) grow();
    for (size_t k = hash & (places_.size() - 1);; k = (k + 1) & (places_.size() - 1)) {
      Place& p = places_[k];
      if (p.number == kNone) {
        p = {hash, fresh};
        ++used_;
        return fresh;
      }
      if (p.hash == hash && is(p.number)) return p.number;
    }
  }
  void clear() {
    std::fill(places_.begin(), places_.end(), Place{});
    used_ = 0;
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Place {
    uint64_t hash = 0;
    uint32_t number = kNone;
  };
  void grow() {
    std::vector<Place> old(std::max<size_t>(64, 2 * places_.size()));
    std::swap(old, places_);
    for (const Place& p : old) {
      if (p.number == kNone) continue;
      size_t k = p.hash & (places_.size() - 1);
      while (places_[k].number != kNone) k = (k + 1) & (places_.size() - 1);
      places_[k] = p;
    }
  }

  std::vector<Place> places_;  // a power of two
  size_t used_ = 0;
};

}  // namespace ww::rules
