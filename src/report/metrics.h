// Which metrics of a table to show.
#pragma once

#include <string>
#include <vector>

#include "base/table.h"

namespace ww::report {

/// The tag that "a|b" stands for in keep_metrics; "" when no row has any of them.
std::string chosen_metric(const Table& table, const std::string& text);

/// The table with only these metrics, in this order. "a|b" means the first of them that every row (but
/// refused ones) has, or else the first that any row has. A tag that no row has becomes a note with the
/// nearest one.
Table keep_metrics(Table table, const std::vector<std::string>& tags);

}  // namespace ww::report
