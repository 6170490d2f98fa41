// Loads that are repeated until their value changes.
#pragma once

#include "ir/module.h"

namespace ww::analysis {

/// Whether a loop loads from one address again and again, and what is loaded decides whether it goes on.
/// `load`: an instruction of `block`; an atomic that returns something will do. Judged by its own value
/// alone, where spin_reads() (spin_reads.h) looks at all that a loop asks.
bool is_polling_load(const ir::Function& function, ir::BlockId block, const ir::Instruction& load);

}  // namespace ww::analysis
