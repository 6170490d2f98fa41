// Which rows of the table of operations the test files use.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ww::runtest {

/// Prints the rows that are carried out but used by no file below `paths` and not excused by `excuses` (lines
/// "row  why"), and excuses that are not needed. Returns how many there are.
Result<int> report_uncovered(const std::vector<std::string>& paths, const std::string& excuses);

}  // namespace ww::runtest
