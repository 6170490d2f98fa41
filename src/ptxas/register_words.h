// How many machine registers each register of a function takes.
#pragma once

#include <vector>

#include "ir/module.h"

namespace ww::ptxas {

/// [register]: 32-bit words; 0 for what takes none on a GPU of compute capability `sm` / 10: predicates,
/// values out of the constant bank, a value plus a constant, from 7.5 on values that are the same in the
/// whole block (pressure.h).
std::vector<int> words_of(const ir::Function& function, int sm);

}  // namespace ww::ptxas
