// Time limits of launches.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/schedule/launch_state.h"

namespace ww::engine {

/// Gives a launch up in which no block ends for `seconds`.
class Patience {
 public:
  Patience(LaunchState& launch, double seconds)
      : thread_([this, &launch, seconds](const std::stop_token& end) {
          using Clock = std::chrono::steady_clock;
          auto since = Clock::now();
          for (u64 ended = 0; !launch.stopping();) {
            std::unique_lock lock(mutex_);
            if (wake_.wait_for(lock, end, std::chrono::milliseconds(20), [] { return false; })) return;
            if (end.stop_requested()) return;
            if (const u64 now = launch.ended; now != ended) ended = now, since = Clock::now();
            if (std::chrono::duration<double>(Clock::now() - since).count() < seconds) continue;
            launch.overdue = true;
            launch.stop = true;
          }
        }) {}

 private:
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
