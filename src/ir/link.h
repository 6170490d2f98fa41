// Linking: several modules become one, as the loader of a GPU makes one of what was compiled apart.
#pragma once

#include <vector>

#include "base/result.h"
#include "ir/module.h"

namespace ww::ir {

/// One module with everything of all: what is .extern in one is what another defines. A .visible definition
/// takes the place of .weak ones, of several .weak ones the first stays, of .common variables the largest.
/// Names without a linkage stay apart. What no module defines stays declared: kernels that reach it are
/// refused when they are launched. The module is named after the first; places in the others name their own
/// files. Errors: a name defined twice, or declared with different parameters, sizes or state spaces.
Result<Module> link(std::vector<Module> modules);

/// The functions and variables that are declared .extern and used, but defined nowhere, each with where it is
/// declared.
std::vector<SymbolId> undefined(const Module& module);

}  // namespace ww::ir
