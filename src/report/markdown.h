// A table for GitHub: a pull request's comment, a job's summary.
#pragma once

#include <string>
#include <string_view>

#include "base/table.h"

namespace ww::report {

/// Title, what all rows share, a row of cells for each row, and the notes. Of more than 500 rows the first,
/// and how many there are. `lead`, Markdown, stands below the title.
std::string write_markdown(const Table& table, const std::string& lead = {});

/// Text that Markdown and HTML leave as it is, on one line.
std::string markdown_text(std::string_view text);

}  // namespace ww::report
