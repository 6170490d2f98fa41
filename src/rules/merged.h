// The shared accesses of a decoded kernel that a GPU's compiler joins, as ptxas/merge_shared.h finds them.
#pragma once

#include "rules/access_totals.h"

namespace ww::rules {

std::vector<MergedAccess> merged_accesses(const engine::Program& program, Capability cc);

}  // namespace ww::rules
