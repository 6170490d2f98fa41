// Instructions that a thread may repeat for as long as it does not like what it gets.
#pragma once

#include "ir/module.h"

namespace ww::analysis {

/// Whether a thread may come back to the instruction, an atomic of `block`, without having written any memory
/// that others see, met others at a barrier, called a function, or set the address anew: it then waits for
/// others to change the word. Not so where it gives back what it holds before it tries again.
bool is_retried(const ir::Function& function, ir::BlockId block, const ir::Instruction& atomic);

}  // namespace ww::analysis
