// The columns of a terminal table: cells as aligned text, before anybody decides how they fit a width.
#pragma once

#include <string>
#include <vector>

#include "base/table.h"

namespace ww::report {

struct Column {
  std::string head, unit;
  std::vector<std::string> cells;  ///< one per row, printable; numbers already padded to one width
  bool right = false;              ///< align head and cells to the right
  size_t least = 1;                ///< width that its numbers need
  size_t folded = 1;               ///< width in which only the head is wrapped, between its words
  size_t widest = 1;               ///< width that nothing has to be wrapped in
};

struct Columns {
  std::vector<std::string> shared;  ///< "gpu h200": axes that are the same in all rows
  std::vector<Column> axes;         ///< those that vary
  std::vector<Column>
      metrics;  ///< in the order they first appear; same tag, other unit or provenance: another
  std::vector<std::string> legend;  ///< "m modelled", for the provenances that appear
};

/// Axes and metrics that a row does not have are "-".
Columns columns_of(const Table& table);

/// Takes the folder that all kernels of the table are in ("matmul/") from their column to the shared axes.
void shorten_kernels(Columns& columns);

}  // namespace ww::report
