// The control-flow graph of a function: who follows whom, in which order, and where divergent paths meet
// again.
#pragma once

#include <vector>

#include "ir/module.h"

namespace ww::ir {

struct Flow {
  std::vector<std::vector<BlockId>> successors;    ///< each once; the fall-through block first
  std::vector<std::vector<BlockId>> predecessors;  ///< each once, ascending
  std::vector<BlockId> order;  ///< reverse post-order of the blocks that the first one reaches
  /// Blocks that leave the function: through ret, exit or trap, guarded or not. A loop without a way out
  /// counts as leaving through its last block in `order`, so that lanes that diverge inside it still meet
  /// there.
  std::vector<BlockId> exits;
  /// The nearest block that every way from this one to the function's end goes through; kNone: only the end
  /// itself.
  std::vector<BlockId> post_dominator;
};

/// Whether an instruction may send control elsewhere than to the next one (bra, brx, ret, exit, trap): it
/// ends a block.
bool ends_block(Op op);

Flow flow_of(const Function& function);

/// The same from bare lists of successors; `leaves[b]` says that block b may also leave the function.
Flow flow_of(std::vector<std::vector<BlockId>> successors, const std::vector<bool>& leaves);

}  // namespace ww::ir
