// A kernel with the functions that it calls in the places of the calls, for whoever runs it: what compilers
// leave as calls (without optimisation, across files, the slow ways of f64 functions) then is code like all
// other. What is told and counted of the instructions is that of the functions they come from.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace ww::analysis {

struct Inlined {
  /// A function whose body stands in the place of a call; the first is the kernel itself.
  struct Part {
    const ir::Function* function = nullptr;
    uint32_t caller = 0;              ///< the part that the call is in
    ir::BlockId after = ir::kNone;    ///< where it goes on when the function returns
    std::vector<ir::BlockId> starts;  ///< by block of the function: which block begins it
  };
  /// Where the instructions of a block come from.
  struct Source {
    uint32_t part = 0;
    ir::BlockId block = 0;            ///< of the part's function
    uint32_t first = 0;               ///< the block's instruction that it begins with
    std::vector<uint32_t> positions;  ///< by instruction: its place in the function's block
  };
  /// What a call copies between variables of the two functions. (What is only stored, passed and loaded is
  /// in registers, and moved.)
  struct Pass {
    uint32_t callee = ir::kNone;                               ///< a part; kNone: a call that is still one
    bool results = false;                                      ///< else arguments
    std::vector<std::pair<ir::SymbolId, ir::SymbolId>> pairs;  ///< the caller's and the callee's
  };

  ir::Function function;  ///< each part with registers of its own
  std::vector<Part> parts;
  std::vector<Source> sources;  ///< by block
  std::vector<Pass> passes;     ///< by index in function.calls
};

/// Empty `parts`: nothing can be inlined. Left as calls are those of functions that are recursive, unknown,
/// or passed registers, calls under a guard, and those for which the kernel would become too long.
Inlined inlined(const ir::Module& module, const ir::Function& entry);

/// Gives what functions pass each other in `.param` variables registers, where those are only stored, passed
/// and loaded; else `passes` says so.
void pass_in_registers(const ir::Module& module, Inlined& inlined);

}  // namespace ww::analysis
