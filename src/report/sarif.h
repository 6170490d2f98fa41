// What got worse, as SARIF 2.1.0 for code scanning services.
#pragma once

#include <string>

#include "report/compare.h"

namespace ww::report {

/// A result for each value that got worse or is missing, and for each missing row: rule "worse/TAG", with the
/// kernel as its logical location and the result file `after` as its physical one, without which code
/// scanning services take nothing. `version`: of the tool.
std::string sarif_of(const Comparison& comparison, const std::string& after, const std::string& version);

}  // namespace ww::report
