// Files that hold the results of a study.
#pragma once

#include <string>

#include "base/result.h"
#include "base/table.h"

namespace ww::cli {

/// The table in a JSON or CSV file, whichever it is by its content, or in the results.json of a report's
/// folder.
Result<Table> read_results(const std::string& name);

}  // namespace ww::cli
