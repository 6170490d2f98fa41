// Tables for people.
#pragma once

#include <string>

#include "base/table.h"

namespace ww::report {

struct TerminalOptions {
  int width = 0;        ///< columns of the terminal; 0: no limit; less than 20 counts as 20
  bool colour = false;  ///< bold heads, yellow refusals, by ANSI sequences
};

/// Title; a caption with the axes that all rows share; a line per row: its other axes, then a column per
/// metric (tag, a letter for its provenance, unit); below it the letters' meaning and the notes. What is
/// wider than the terminal becomes several blocks. Each has the axes where these take at most half of the
/// width; else the first has them, and the number of the row leads to the others. Times are shown in the unit
/// that the largest of their column reads best in. Words are wrapped where they must, numbers never. Control
/// characters in any text come out as '?'.
std::string render_terminal(const Table& table, const TerminalOptions& options = {});

}  // namespace ww::report
