// A table in the format a user asks for.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/table.h"
#include "report/terminal.h"

namespace ww::report {

enum class Format { Table, Csv, Json, Markdown };

/// "table", "csv", "json", "markdown", as --format has them. The error offers what there is.
Result<Format> format_named(std::string_view name);

/// The whole text, ending with a line end. `options` are for Format::Table.
std::string render(const Table& table, Format format, const TerminalOptions& options = {});

}  // namespace ww::report
