// Values that all threads of a launch have alike.
#pragma once

#include "ir/module.h"

namespace ww::analysis {

/// Whether an operand is the same in every thread that comes to its instruction: a constant, a parameter of
/// the kernel, the size of the grid, or computed from such alone, by instructions that have no guard.
/// Registers that are set at several places count as different.
bool is_uniform(const ir::Function& function, const ir::Operand& value);

}  // namespace ww::analysis
