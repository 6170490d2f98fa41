// Which SMs belong together, and in which order a GPU deals the first blocks to them.
#pragma once

#include <functional>
#include <vector>

#include "engine/machine.h"
#include "rules/patterns.h"

namespace ww::caches {

using engine::u32;
using engine::u64;

/// SMs of a launch in clusters (GPC), counted cluster by cluster. Each has as many pairs (TPC) as any other,
/// or one more. A cluster takes a block for each of its SMs, then the next cluster does. `apart` SMs of the
/// first cluster, 0 or fewer than it has, are counted last and take theirs by themselves: first of all, then
/// behind each `every` turns of the others, until they are full (seen on an H200:
/// data/measured/h200-l2/deal.csv).
class SmLayout {
 public:
  SmLayout(u32 sms, u32 clusters, u32 apart = 0, u32 every = 1);

  struct Place {
    u32 cluster = 0;
    double distance = 0;  ///< from L2, among the SMs of the cluster: -1 the nearest, 1 the farthest
  };
  const Place& of(u32 sm) const { return places_[sm]; }

  /// Calls `take` for each SM and round of blocks, in the order in which they are dealt.
  void deal(u32 rounds, const std::function<void(u32 sm, u32 round)>& take) const;

 private:
  struct Group {
    u32 first = 0, count = 0;
  };
  u32 every_;
  std::vector<Place> places_;
  std::vector<Group> groups_;
  Group apart_;
};

}  // namespace ww::caches
