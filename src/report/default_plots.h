// Plots for a table whose study declares none.
#pragma once

#include <string>
#include <vector>

#include "base/table.h"
#include "report/plot.h"

namespace ww::report {

/// What to plot where nothing else is asked for: the headline metrics against each numeric axis that varies
/// enough.
std::vector<Plot> default_plots(const Table& table, const std::vector<std::string>& headline);

/// The axes whose values become lines of their own in a plot along `x`: the kernel, and of the others that
/// rows of one line and place differ in, those with fewest values first, as many as leave eight lines at
/// most. The rest is the reader's to choose.
std::vector<std::string> line_axes(const Table& table, const Quantity& x);

}  // namespace ww::report
