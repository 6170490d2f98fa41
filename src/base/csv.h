// Comma-separated tables with a header line (RFC 4180: quoted fields, doubled quotes).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ww {

struct Csv {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< each as long as the header

  /// The index of a column, or -1.
  int column(std::string_view name) const;
  /// The field of a row in a named column; "" when there is no such column.
  const std::string& at(size_t row, std::string_view column) const;
};

/// Errors: a quote that is not closed, a row that is longer or shorter than the header, no header. `file` is
/// only used in the locations.
Result<Csv> parse_csv(std::string_view file, std::string_view text);

}  // namespace ww
