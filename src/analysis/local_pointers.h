// Which registers hold generic addresses of local memory.
#pragma once

#include <vector>

#include "ir/module.h"

namespace ww::analysis {

/// [register]: all that is ever written there is made from what `cvta.local` gives: the address of a local
/// variable, perhaps moved or one of several. A register read from memory is none of them. (array_bases.h
/// tells which variable it is, and nothing where it may be one of several.)
std::vector<bool> local_pointers(const ir::Function& function);

}  // namespace ww::analysis
