// Variables of a module that a kernel reads although neither an initialiser nor the kernel sets them.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "ir/module.h"

namespace ww::analysis {

struct UnsetVariable {
  std::string name;  ///< as the PTX has it
  Location where;    ///< of the first instruction that reads it
};

/// Of what the kernel and the functions that it calls reach: global and constant variables without an
/// initialiser, read through their name or an address made from it, and never written so. One whose address
/// goes elsewhere (into memory, into a call) is left out: it may be written there. In the order of their
/// first reading.
std::vector<UnsetVariable> unset_variables(const ir::Module& module, const std::string& kernel);

}  // namespace ww::analysis
