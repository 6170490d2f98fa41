// Values that all threads of a launch have alike.
#pragma once

#include "ir/module.h"

namespace ww::analysis {

/// Whether an operand of an instruction of this block is the same in every thread that comes there: a
/// constant, a parameter of the kernel, the size of the grid, or computed from such alone, by instructions
/// that have no guard. Registers that are set at several places count as different, but for what the block
/// has set last.
bool is_uniform(const ir::Function& function, ir::BlockId block, const ir::Instruction& at,
                const ir::Operand& value);

}  // namespace ww::analysis
