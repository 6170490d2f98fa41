// Which registers may come to hold an undefined value.
#pragma once

#include <vector>

#include "ir/module.h"

namespace ww::analysis {

/// [register]: what uninitialised memory, a lane that does not take part in a shuffle, or a register that
/// is read before it is written may flow into it. Parameters, constants, results of calls and texels count as
/// defined.
std::vector<bool> may_be_undefined(const ir::Function& function);

}  // namespace ww::analysis
