// What a kernel reaches: the functions that it may call and the shared variables that they name.
#pragma once

#include <vector>

#include "ir/module.h"

namespace ww::analysis {

struct Reach {
  std::vector<const ir::Function*> functions;  ///< the entry first
  std::vector<ir::SymbolId> shared;            ///< shared variables, in order of their first use
  std::vector<ir::SymbolId> undefined;         ///< variables that are declared only
};

Reach reach(const ir::Module& module, const ir::Function& entry);

/// Bytes of shared memory that a launch of the kernel takes besides what the launch asks for: the variables
/// with a size of all functions that it reaches, each at its alignment.
uint64_t static_shared_bytes(const ir::Module& module, const ir::Function& entry);

}  // namespace ww::analysis
