// What checks found, linked to the accesses of a recording.
#pragma once

#include <utility>
#include <vector>

#include "checks/finding.h"
#include "watch/recording.h"

namespace ww::watch {

/// Fills launch.found. Its events stand in the order in which they ran; `places`: of each the barriers before
/// it, and its site. Of the pairs of accesses that a finding may mean, the nearest that touch the same bytes.
void link(Launch& launch, const std::vector<std::pair<u32, u32>>& places,
          const std::vector<checks::Finding>& findings);

}  // namespace ww::watch
