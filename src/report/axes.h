// Which axes a table has, in the order of their columns.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/table.h"

namespace ww::report {

/// The columns that every result file begins with, whatever its study: what was written before studies had
/// axes of their own is read, and is written the same.
const std::vector<Axis>& common_axes();

/// common_axes(), those that the table declares, and others that its rows have, as they appear.
std::vector<Axis> axes_of(const Table& table);

/// The common axes that the table declares, and what follows them in axes_of(), each with label and unit
/// where the table declares them.
std::vector<AxisInfo> own_axes(const Table& table);

/// Whether a study can declare this axis: one of its own, or one of n, block, rx, ry, r and k.
bool is_declarable(const std::string& name);

/// Whether a study can have an axis of its own by this name. Error: why not (no name, or taken: by a common
/// axis or by a column of the CSV).
Status check_axis_name(const std::string& name);

}  // namespace ww::report
