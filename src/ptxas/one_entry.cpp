#include "ptxas/one_entry.h"

#include <algorithm>

namespace ww::ptxas {

namespace {

constexpr std::string_view kEntry = ".entry", kSpaces = " \t\r\n";

/// The position behind a comment or a string that begins at `at`, else `at`.
size_t behind_comment(std::string_view text, size_t at) {
  const auto behind = [&](std::string_view end, size_t from) {
    const size_t found = text.find(end, from);
    return found == text.npos ? text.size() : found + end.size();
  };
  if (text[at] == '"') {
    for (size_t i = at + 1; i < text.size(); ++i) {
      if (text[i] == '"') return i + 1;
      if (text[i] == '\\') ++i;
    }
    return text.size();
  }
  if (text[at] != '/') return at;
  if (text.substr(at, 2) == "//") return behind("\n", at);
  return text.substr(at, 2) == "/*" ? behind("*/", at + 2) : at;
}

/// The word of a directive that ends before `at` (".visible "), npos if none does.
size_t begin_of_directive(std::string_view text, size_t at) {
  const size_t end = text.find_last_not_of(kSpaces, at - 1);
  if (at == 0 || end == text.npos) return text.npos;
  for (std::string_view word : {".visible", ".weak", ".extern", ".common"})
    if (text.substr(0, end + 1).ends_with(word)) return end + 1 - word.size();
  return text.npos;
}

}  // namespace

std::string with_one_entry(std::string_view ptx, std::string_view entry) {
  std::string out;
  size_t kept = 0;          // everything before is in `out`, or gone
  size_t begin = ptx.npos;  // of the kernel that is being left out
  int depth = 0;
  for (size_t at = 0; at < ptx.size();) {
    if (const size_t behind = behind_comment(ptx, at); behind != at) {
      at = behind;
      continue;
    }
    const char c = ptx[at++];
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (depth != 0) continue;
    if (c == ';') begin = ptx.npos;  // a declaration
    if (c == '}' && begin != ptx.npos) {
      out.append(ptx.substr(kept, begin - kept));
      kept = at;
      begin = ptx.npos;
    }
    if (c != '.' || !ptx.substr(at - 1).starts_with(kEntry)) continue;
    const size_t name = ptx.find_first_not_of(kSpaces, at - 1 + kEntry.size());
    if (name == ptx.npos || name == at - 1 + kEntry.size()) continue;
    if (ptx.substr(name, ptx.find_first_of("( \t\r\n{;", name) - name) == entry) continue;
    const size_t directive = begin_of_directive(ptx, at - 1);
    begin = directive == ptx.npos ? at - 1 : directive;
  }
  out.append(ptx.substr(kept));
  return out;
}

}  // namespace ww::ptxas
