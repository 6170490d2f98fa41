// The outcome of a study as JUnit's XML, which CI systems show.
#pragma once

#include <string>
#include <vector>

#include "base/table.h"
#include "study/expect.h"

namespace ww::cli {

/// A test case for each row (verified or not; what was refused is skipped) and one for each expectation.
std::string junit(const std::string& study, const Table& table, const std::vector<study::Outcome>& outcomes);

}  // namespace ww::cli
