// Which metrics of a table to show.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/table.h"

namespace ww::report {

/// The tag that "a|b" stands for in keep_metrics; "" when no row has any of them.
std::string chosen_metric(const Table& table, const std::string& text);

/// Error: tags (not "a|b") that no row has although some ran, each with the nearest that there is.
Status check_metrics(const Table& table, const std::vector<std::string>& tags);

/// The table with only these metrics, in this order. "a|b" means the first of them that every row (but
/// refused ones) has, or else the first that any row has. A tag that no row has becomes a note with the
/// nearest one.
Table keep_metrics(Table table, const std::vector<std::string>& tags);

}  // namespace ww::report
