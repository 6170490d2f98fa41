// Which shared variable the address of an access is made from.
#pragma once

#include <vector>

#include "ir/module.h"

namespace ww::analysis {

/// [register] of a function: the one shared variable whose address plus numbers it holds; ir::kNone where it
/// holds none, or one of several, or what cannot be told.
std::vector<ir::SymbolId> shared_bases(const ir::Module& module, const ir::Function& function);

}  // namespace ww::analysis
