// A finding at length: both accesses, what is missing between them, the code, and the usual cure.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "checks/finding.h"

namespace ww::checks {

/// A line of a file, from 1; none where it cannot be read.
using LineOf = std::function<std::optional<std::string>(const std::string& file, int line)>;

/// Several lines of plain text with a line end. `number`: as which it is shown.
std::string explain(const Finding& finding, size_t number, const LineOf& line_of);

/// What mostly helps against findings of a kind; "" where nothing is known.
std::string usual_cure(const Finding& finding);

}  // namespace ww::checks
