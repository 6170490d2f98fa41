// Which arrays hold places in themselves: the parents of a union-find, the next ones of lists.
#pragma once

#include <set>

#include "analysis/written_params.h"
#include "ir/module.h"

namespace ww::analysis {

/// The parameters of `entry` through which a number is loaded that goes into the address of an access through
/// the same parameter. What atomics give is not followed: that is a place to put something, often.
std::set<size_t> params_of_places(const ir::Function& entry, const AccessParams& accesses);

}  // namespace ww::analysis
