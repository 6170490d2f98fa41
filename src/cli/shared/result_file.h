// Files that hold the results of a study.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/table.h"

namespace ww::cli {

/// The table in a JSON or CSV file, whichever it is by its content, or in the results.json of a report's
/// folder.
Result<Table> read_results(const std::string& name);

/// Errors where a JSON file is something else of ours that people take for results: a study, an exercise.
/// They say what makes results of it.
Status no_other_file(std::string_view text, const std::string& file);

}  // namespace ww::cli
