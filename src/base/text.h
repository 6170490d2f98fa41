// Text that is safe and measurable on a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ww {

/// `text` as UTF-8 that cannot steer a terminal: tabs and line ends become spaces; control characters (C0,
/// DEL, C1), direction overrides, invisible characters and bytes that are not UTF-8 become '?'.
std::string printable(std::string_view text);

/// Text of at most about `most` bytes as it is; of a longer one the beginning and the end, and how long it
/// is. Characters are not cut.
std::string shortened(std::string_view text, size_t most);

/// Terminal columns of printable text: its characters (code points).
size_t columns(std::string_view text);

/// Printable text cut into lines of at most `width` columns (0: one line), after a blank or one of _ / , if
/// there is one, anywhere otherwise. Never empty.
std::vector<std::string> wrap(std::string_view text, size_t width);

}  // namespace ww
