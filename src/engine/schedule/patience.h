// Launches that take long: who is told, and when they are given up.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/engine.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

/// Watches a launch: tells of it where no block ends for Settings::tell_after seconds, and gives it up after
/// Settings::patience.
class Patience {
 public:
  /// `blocks`: of the launch; `workers`: that run them.
  Patience(LaunchState& launch, const Settings& settings, u64 blocks, int workers);

 private:
  void watch(const std::stop_token& end);
  bool sleep(const std::stop_token& end);
  void ask();
  bool is_answered(double waited);
  void tell(double seconds);

  LaunchState& launch_;
  const Settings& settings_;
  u64 blocks_;
  u32 workers_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it uses the others
};

/// What a launch that was given up has done wrong, as a fault at the place where most warps stand.
Fault overdue_fault(const LaunchState& launch, double seconds, u64 blocks);

/// Counts backward branches that lanes of the split have taken; true: there are more than the launch allows,
/// which is a fault now.
bool too_many_branches(WarpState& w, Split& split, u32 taken);

/// Whether a warp that has taken many branches may wait for others, though none of its splits has used up its
/// turn: in a loop whose lanes part and meet in each round each begins a turn anew.
bool waits_in_parts(WarpState& w, const Split& split);

}  // namespace ww::engine
