// A table from hashes to numbers: of patterns, mostly, that stand in a list.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace ww::rules {

/// A hash of the lanes' numbers: four chains side by side, as each of its products waits for the one before.
inline uint64_t hash_of_lanes(uint64_t start, const std::array<int64_t, 32>& numbers) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u;
  std::array<uint64_t, 4> h{start, start + 1, start + 2, start + 3};
  for (size_t l = 0; l < numbers.size(); l += h.size())
    for (size_t k = 0; k < h.size(); ++k)
      h[k] = (std::rotl(h[k], 23) ^ static_cast<uint64_t>(numbers[l + k])) * kFactor;
  for (size_t k = 1; k < h.size(); ++k) h[0] = (std::rotl(h[0], 23) ^ h[k] ^ h[k] >> 32) * kFactor;
  return h[0] ^ h[0] >> 29;
}

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
