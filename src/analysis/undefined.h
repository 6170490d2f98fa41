// Which registers may come to hold a value that nobody defined.
#pragma once

#include <vector>

#include "ir/module.h"

namespace ww::analysis {

/// [register]: what memory that nobody wrote, a lane that does not take part in a shuffle, or a register that
/// is read before it is written may flow into it. Parameters, constants, results of calls and texels count as
/// defined.
std::vector<bool> may_be_undefined(const ir::Function& function);

}  // namespace ww::analysis
