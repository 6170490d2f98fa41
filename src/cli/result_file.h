// Files that hold the results of a study.
#pragma once

#include <string>

#include "base/result.h"
#include "base/table.h"

namespace ww::cli {

/// The table in a JSON or CSV file, whichever it is by its content.
Result<Table> read_results(const std::string& file);

}  // namespace ww::cli
