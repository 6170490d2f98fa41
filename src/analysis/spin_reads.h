// The reads of memory in spin loops: those repeated until another thread changes it (locks, flags).
#pragma once

#include <vector>

#include "ir/module.h"

namespace ww::analysis {

/// [block][instruction]: what asks memory (ir::asks_memory) inside a loop whose end depends on what it
/// returns, at an address that is the same in each round. How often such a loop goes round depends on when
/// other threads come by, which only the GPU decides. Loops are natural ones; a register depends on what is
/// computed from, and on branches that decide whether it is written.
std::vector<std::vector<bool>> spin_reads(const ir::Function& function);

}  // namespace ww::analysis
