// The shared accesses of a decoded kernel that a GPU's compiler joins, as passes/merge_shared.h finds them.
#pragma once

#include "counters/access_totals.h"

namespace ww::counters {

std::vector<MergedAccess> merged_accesses(const engine::Program& program, Capability cc);

}  // namespace ww::counters
