// Which registers hold a value that may still be read, for one thread's way through a function.
#pragma once

#include <vector>

#include "ir/flow.h"
#include "ir/module.h"

namespace ww::passes {

/// A set of registers as bits, by RegId.
using RegisterSet = std::vector<uint64_t>;

struct Liveness {
  std::vector<RegisterSet> in, out;  ///< by block: live at its start and at its end
};

/// What an instruction reads and writes. A guarded write keeps what was there for other threads, so it counts as a read too.
struct Uses {
  std::vector<ir::RegId> reads, writes;
};
Uses uses_of(const ir::Function& function, const ir::Instruction& instruction);

Liveness liveness_of(const ir::Function& function, const ir::Flow& flow);

/// Where a register's value is needed, as numbers of instructions counted through all blocks in order: from `first` to `last`, both
/// included. A register that is never used has first > last. Conservative: no holes.
struct Interval {
  uint32_t first = ~0u, last = 0;
};
std::vector<Interval> intervals_of(const ir::Function& function, const ir::Flow& flow);

}  // namespace ww::passes
