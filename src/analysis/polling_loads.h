// Loads that are repeated until their value changes.
#pragma once

#include "ir/module.h"

namespace ww::analysis {

/// Whether a loop loads from one address again and again, and what is loaded decides whether it goes on.
/// `load`: an instruction of `block`. Judged by its own value alone, where asks_again() (asking.h) looks at
/// all that a loop asks.
bool polls(const ir::Function& function, ir::BlockId block, const ir::Instruction& load);

}  // namespace ww::analysis
