// The step behind a load that waits for what others write, for listeners that judge what is ordered.
#pragma once

#include "engine/machine.h"

namespace ww::engine {

/// Ends the warp's turn. So all who wait for a word see what ends their waiting before any of them goes on:
/// else they would also see, and be ordered behind, what the first to go on writes there next.
Inst poll_step();

}  // namespace ww::engine
