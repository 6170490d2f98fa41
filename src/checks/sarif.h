// Findings as SARIF 2.1.0 (OASIS), which code hosts show beside the source.
#pragma once

#include <string>
#include <vector>

#include "checks/finding.h"

namespace ww::checks {

/// One run of the tool `warpwright`; a rule for each kind of finding.
std::string write_sarif(const std::vector<Finding>& findings);

}  // namespace ww::checks
