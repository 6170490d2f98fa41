// One thread of the host in a launch.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "engine/schedule/launch_state.h"
#include "engine/schedule/notes.h"
#include "engine/schedule/standstill.h"

namespace ww::engine {

/// Takes blocks and runs them, several in turns where they wait for each other.
class alignas(64) Worker : public Recycled {
 public:
  /// `next`: the first block (or cluster) that nobody has taken; `blocks`: of the launch; `only`: their
  /// numbers, where not all of the grid run; `resident`: as many may be begun at once; `share`: taken at
  /// once.
  Worker(LaunchState& launch, std::atomic<u64>& next, u64 blocks, const std::vector<u64>& only, u64 resident,
         u64 share, int id, Standstill standstill)
      : launch_(launch),
        standstill_(standstill),
        next_(next),
        blocks_(blocks),
        only_(only),
        resident_(resident ? resident : 1),
        share_(share),
        id_(id),
        allocations_(*launch.memory) {
    // Counters of two workers never share a cache line.
    executed.resize(2 * size_t{launch.program->counters} + 2 + 64 / sizeof(u64));
  }

  void run() {
    run_blocks();
    tell_ended();
    standstill_.leave();
  }

  std::vector<u64> executed;  ///< counted runs: as Warp::executed

 private:
  using Blocks = std::vector<std::unique_ptr<BlockState>>;

  void run_blocks();
  void watch();
  /// Adds where the warps of these blocks stand, as somebody has asked.
  void answer(const Blocks& live);
  void tell_ended() {
    if (untold_) launch_.ended.fetch_add(std::exchange(untold_, 0), std::memory_order_relaxed);
  }
  void begin(u64 number, Blocks& spare, Blocks& live);
  void begin_again(u64 number, BlockState& block);
  void end(std::unique_ptr<BlockState> block, Blocks& spare);

  std::vector<std::unique_ptr<ClusterState>> clusters_, spare_clusters_;
  Blocks ended_;
  LaunchState& launch_;
  Standstill standstill_;
  std::atomic<u64>& next_;
  u64 blocks_;
  const std::vector<u64>& only_;
  u64 resident_;
  u64 share_;                    ///< blocks that are taken at once
  u64 mine_ = 0, mine_end_ = 0;  ///< those taken that have not begun
  bool any_ = false;             ///< it has taken blocks
  u64 untold_ = 0;               ///< blocks that ended and LaunchState::ended does not know of
  u32 answered_ = 0;             ///< of LaunchState::asked
  Notes notes_;
  int id_;
  AllocationCache allocations_;
};

}  // namespace ww::engine
