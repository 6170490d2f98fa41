// Which registers may come to hold an undefined value.
#pragma once

#include <vector>

#include "ir/module.h"

namespace ww::analysis {

/// Registers that may be read before anything is written to them; not a function's parameters.
std::vector<ir::RegId> unset_registers(const ir::Function& function);

/// [register], and last the carry flag: what uninitialised memory, a lane that does not take part in a
/// shuffle, a function, or a register that is read before it is written may flow into it. Parameters of
/// kernels and constants count as defined.
std::vector<bool> may_be_undefined(const ir::Function& function);

}  // namespace ww::analysis
