// Whether a launch repeats itself for ever: warps run, but nothing that they could notice changes any more.
#pragma once

#include "engine/schedule/launch_state.h"

namespace ww::engine {

/// A number for where the block's warps stand and what their registers, local and shared memory hold.
u64 state_of(const BlockState& block);

/// What %globaltimer shows (clock.h), unless the clocks have been put forward.
u64 timer_of(LaunchState& launch);

/// While it lives, launches that this thread begins run beside the host, which may write what their kernels
/// wait for: they do not stand still before threads of the host wait for them. Null: they wait at once.
class BesideHost {
 public:
  explicit BesideHost(const std::atomic<int>* waiting);
  ~BesideHost();
  BesideHost(const BesideHost&) = delete;
  BesideHost& operator=(const BesideHost&) = delete;
};

/// Backward branches of loops that wait for others, until lanes at a join go on without those that loop.
constexpr u32 kPatience = 8 * kTurnBudget;

/// Whether lanes of the block wait at a join for others that loop, but will soon go on without them.
bool gives_way_soon(const BlockState& block);

/// One worker's view. The launch stands still when all workers found, for some while, that the blocks they
/// run come back to the same state turn after turn, and no block begins or ends.
///
/// "The same": one of the latest, since the turns of a loop end at several of its places.
///
/// Who waits with an eye on the clock never comes back to the same state. So when no block has ended for some
/// while, the clocks stop; and when then nothing else changes either, they are put forward, by seconds, by a
/// minute, by hours: what only waits for its time to pass goes on, what still does not stands still.
class Standstill {
 public:
  /// `seconds`: for how long, 0: never look. `only_phases`: only where all threads wait for mbarriers or at
  /// barriers, so that no host thread can help them.
  Standstill(LaunchState& launch, double seconds, bool only_phases, int workers);

  /// A block has begun or ended. The others learn of it when this worker would be quiet: until then the
  /// launch does not stand still anyway.
  void moved() {
    ++untold_;
    if (quiet_) tell();
  }
  /// A block has had a turn and would go on. `polled`: all it did was to look whether others had done
  /// something. Turns may be short, and finding out whether anything has changed takes longer: once in a
  /// while will do.
  void turn(BlockState& block, bool polled);
  /// The worker has no blocks any more: it disturbs nobody.
  void leave();
  /// Whether the launch stands still; asked after a turn of each block.
  bool found();

 private:
  void set_quiet(bool quiet);
  void set_awaiting(bool awaiting);
  void tell();
  void watch_clock();
  bool put_forward();
  bool is_new(BlockState& block);
  void begin_round();

  LaunchState& launch_;
  const std::atomic<int>* host_waiting_;
  double seconds_;
  bool only_phases_;
  bool busy_ = false;      ///< a block did something else than to wait in this round of turns
  bool awaiting_ = false;  ///< told: none did
  u32 workers_;
  u64 seen_ = 0;
  u64 untold_ = 0;  ///< moves of this worker that the others were not told of
  bool quiet_ = false;
  bool looks_ = true;  ///< in this round of turns
  double looked_ = 0;  ///< when the last such round was over …
  double cost_ = 0;    ///< … how long that took …
  double pause_ = 0;   ///< … and after which time there is another
  double since_ = 0;
  u64 ended_ = 0;           ///< blocks of the launch
  double ended_since_ = 0;  ///< when that was new
};

}  // namespace ww::engine
