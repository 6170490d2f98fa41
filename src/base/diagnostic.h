// What is wrong with the user's input, and where. Text and caret are made only at the edge (render).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ww {

/// A place in a source text. line and column count from 1; line 0 means "no place known".
/// length is the number of characters underlined by the caret.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  int length = 1;

  bool known() const { return line > 0; }
  bool operator==(const Location&) const = default;
};

enum class Severity { Error, Warning, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string message;  ///< What is wrong, in one sentence without a full stop at the end.
  Location where;       ///< May be unknown.
  std::string hint;     ///< What would be right; may be empty.
};

using Diagnostics = std::vector<Diagnostic>;

/// After so many the reader of a file stops looking for more.
inline constexpr size_t kMostErrors = 20;

/// An error without a place.
Diagnostic error(std::string message, std::string hint = {});
/// An error at a place.
Diagnostic error_at(Location where, std::string message, std::string hint = {});

/// "file:3:7: error: message", the source line and a caret below it when `source` holds the text the
/// locations refer to (long lines are elided around the column), and the hint. Ends with a newline.
std::string render(const Diagnostic& diagnostic, std::string_view source = {});
std::string render(const Diagnostics& diagnostics, std::string_view source = {});

/// The candidate nearest to `name` by edit distance if it is near enough to be a typing error, else "".
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace ww
