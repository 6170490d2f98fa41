// The careful way: what the fast handlers in lanes/ hand over when an access is not plainly inside one piece of memory.
#pragma once

#include "engine/machine.h"

namespace ww::engine {

/// Carries out the load or store of `i` lane by lane for the lanes of `mask`, looking every address up. Reports a fault for the
/// first lane that is wrong (and returns nullptr), else returns the next instruction.
const Inst* access_slow(Warp& w, const Inst* i, u32 mask);

/// The allocation that holds the global address, also remembered for instruction `i`; size 0 if there is none.
Window find_window(Warp& w, const Inst* i, u64 address);

}  // namespace ww::engine
