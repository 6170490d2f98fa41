// One thread of the host in a launch.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/schedule/block_queue.h"
#include "engine/schedule/launch_state.h"
#include "engine/schedule/notes.h"
#include "engine/schedule/standstill.h"

namespace ww::engine {

/// The blocks of a launch.
struct LaunchBlocks {
  u64 count = 0;
  const std::vector<u64>* only = nullptr;  ///< their numbers, where not all of the grid run; else empty
  u64 resident = 1;                        ///< as many may be begun at once by all workers
  BlockQueue queue;                        ///< of blocks, or of clusters
};

/// Takes blocks and runs them, several in turns where they wait for each other.
class alignas(64) Worker : public Recycled {
 public:
  /// `resident`: as many blocks may be begun at once by this worker.
  Worker(LaunchState& launch, LaunchBlocks& blocks, u64 resident, int id)
      : launch_(launch),
        blocks_(blocks),
        resident_(resident ? resident : 1),
        id_(id),
        allocations_(*launch.memory) {
    // Counters of two workers never share a cache line.
    executed.resize(2 * size_t{launch.program->counters} + 2 + 64 / sizeof(u64));
  }

  /// Its part in a launch of the team, the `number`th from 1 on. What it kept from the one before serves this
  /// one. `again`: as BlockState's.
  void run(u64 number, const Standstill& standstill, const std::vector<u32>* again) {
    begin_launch(number, standstill, again);
    run_blocks();
    tell_ended();
    standstill_->leave();
    keep_little();
  }
  /// The last one in which it had a part: its thread may come too late for one.
  u64 launch_number() const { return launch_number_; }

  std::vector<u64> executed;  ///< counted runs: as Warp::executed, in that launch

 private:
  using Blocks = std::vector<std::unique_ptr<BlockState>>;

  void begin_launch(u64 number, const Standstill& standstill, const std::vector<u32>* again);
  /// Keeps one block at most, and none that holds much memory.
  void keep_little();
  void run_blocks();
  void watch();
  /// Adds where the warps of these blocks stand, as somebody has asked.
  void answer();
  void tell_ended() {
    if (untold_) blocks_.queue.add_ended(id_, std::exchange(untold_, 0));
  }
  void begin(u64 number);
  void begin_again(u64 number, BlockState& block);
  void end(std::unique_ptr<BlockState> block);

  std::vector<std::unique_ptr<ClusterState>> clusters_, spare_clusters_;
  Blocks ended_;
  Blocks spare_, live_;  ///< those that wait for a number, and those that have begun
  LaunchState& launch_;
  std::optional<Standstill> standstill_;
  LaunchBlocks& blocks_;
  u64 resident_;
  u64 mine_ = 0, mine_end_ = 0;    ///< those taken that have not begun
  u32 begun_ = 0, next_look_ = 1;  ///< blocks (or clusters) it has begun; Warming::look_after
  u64 untold_ = 0;                 ///< blocks that ended and the queue does not know of
  u32 answered_ = 0;               ///< of LaunchState::asked
  Notes notes_;
  int id_;
  u64 launch_number_ = 0;
  AllocationCache allocations_;
};

}  // namespace ww::engine
