// How results leave the program: to stdout, fitted to the terminal, or into a file.
#pragma once

#include <string>

#include "base/table.h"
#include "report/report.h"

namespace ww::cli {

/// Columns of the terminal behind a file descriptor; `otherwise` when it is none.
int terminal_width(int descriptor, int otherwise);

/// Prints diagnostics on stderr and returns 2.
int complain(const Diagnostics& diagnostics, std::string_view source = {});

/// The same, with excerpts of `file` where a message has a place in it.
int complain_in_file(const Diagnostics& diagnostics, const std::string& file);

inline constexpr int kWidthWithoutTerminal = 100;  ///< columns in logs, files, pipes

/// Renders the table to stdout, or into `file` (written whole, then moved into place) unless that is "";
/// `lead` and an empty line stand before it; behind it on a terminal that the table does not fit, where they
/// would scroll away.
Status deliver(const Table& table, report::Format format, const std::string& file,
               const std::string& lead = {});
/// The same for a text that is ready.
Status deliver_text(const std::string& text, const std::string& file);

}  // namespace ww::cli
