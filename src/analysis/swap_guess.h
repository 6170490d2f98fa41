// Loads whose value a compare-and-swap checks.
#pragma once

#include "ir/module.h"

namespace ww::analysis {

/// Whether what a load brings is, before anything else happens, what a compare-and-swap of the same word
/// expects there: `old = *p; do … while ((old = atomicCAS(p, old, …)) != …)`. If it is not true any more, the
/// swap says so. `load`: an instruction of `block`.
bool is_swap_guess(const ir::Function& function, ir::BlockId block, const ir::Instruction& load);

}  // namespace ww::analysis
