// Steps that end a warp's turn, for listeners that judge what is ordered.
#pragma once

#include "engine/machine.h"

namespace ww::engine {

/// Ends the warp's turn. So all who wait for a word see what ends their waiting before any of them goes on:
/// else they would also see, and be ordered behind, what the first to go on writes there next.
Inst poll_step();

/// Behind a store that others may wait for: ends the turn where the order has atomics end it.
Inst publish_step();

/// Goes on behind an atomic or such a store, or lets other warps have a turn first (Order::ends_turn).
const Inst* behind_update(Warp& warp, const Inst* i);

}  // namespace ww::engine
