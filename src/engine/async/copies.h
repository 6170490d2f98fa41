// cp.async: copies of a warp's lanes to shared memory that happen, at the latest, when the lanes wait for
// them. They are kept warp by warp, and lanes whose places lie one behind another are copied at once.
#pragma once

#include <list>
#include <vector>

#include "engine/machine.h"

namespace ww::engine {

/// What lanes that carried out one cp.async together are still to copy.
struct AsyncCopy {
  /// Of one lane, or of lanes one behind another whose places are so, too.
  struct Run {
    u8* to = nullptr;
    const u8* from = nullptr;
    u32 size = 0, bytes = 0;  ///< bytes are copied, the rest up to size is zeroed (of one lane)
    u8 lane = 0, lanes = 1;   ///< the first one, and how many
  };
  u32 lanes = 0;
  u32 group = 0;  ///< 0: not committed yet
  u32 count = 0;  ///< of the runs
  Run runs[kLanes];
};

class AsyncCopies {
 public:
  /// The next copies. The caller adds runs, lane after lane.
  AsyncCopy& begin();
  /// The lanes' groups are complete.
  void commit(u32 lanes);
  /// Carries out what the lanes have copied, but for what is in their `open` latest groups or in none; of all
  /// of them with kEverything.
  void finish(u32 lanes, u64 open);
  /// Nothing is pending, no lane has committed anything.
  void clear();

  static constexpr u64 kEverything = ~u64{0};

 private:
  u32 with_groups(u32 lanes, u32 groups) const;
  AsyncCopy& split_off(size_t place, u32 lanes);

  std::vector<AsyncCopy*> pending_, free_;  ///< pending: in the order of the program
  std::list<AsyncCopy> storage_;            // an empty one takes no memory
  u32 committed_[kLanes] = {};              ///< groups each lane has committed
  u32 alike_ = kAllLanes;                   ///< lanes that have committed as many, as far as known
  bool committed_any_ = false;
};

}  // namespace ww::engine
