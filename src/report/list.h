// One row for people: its values below each other.
#pragma once

#include <string>

#include "base/table.h"

namespace ww::report {

/// A line per value: tag, number, unit, provenance, description; the axes above it, the notes below. Rows
/// follow each other. Control characters in any text come out as '?'.
std::string render_list(const Table& table);

}  // namespace ww::report
