// Finds the steps of a recording: which instructions of different warps correspond.
#pragma once

#include <utility>
#include <vector>

#include "watch/recording.h"

namespace ww::watch {

/// Makes the launch's steps, gives each event its own, and sorts the events. `places`: of each event, the
/// barriers that its lanes came to before and its site. The warps' sequences are laid over one another, phase
/// by phase: what they have in common falls into one step, what only some do stands between. A warp's own
/// events keep their order.
void align(Launch& launch, const std::vector<std::pair<u32, u32>>& places);

/// Drops sites without events.
void keep_used_sites(Launch& launch);

}  // namespace ww::watch
