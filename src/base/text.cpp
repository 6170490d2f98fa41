#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace ww {
namespace {

// Length of the well-formed UTF-8 sequence at the start (Unicode standard, table 3-7) and its code point; 0
// if none.
size_t decode(std::string_view text, uint32_t& code) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  unsigned lead = byte(0);
  if (lead < 0x80) return code = lead, 1;
  size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
  if (length == 0 || lead > 0xf4) return 0;
  code = lead & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  static constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  bool good = code >= kLeast[length] && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return good ? length : 0;
}

bool harmless(uint32_t c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c || c == 0xfeff) return false;
  if (c >= 0x200b && c <= 0x200f) return false;  // zero width, direction marks
  if (c >= 0x2028 && c <= 0x202e) return false;  // line separators, direction overrides
  if (c >= 0x2060 && c <= 0x206f) return false;  // invisible operators, direction isolates
  return c < 0xe0000;                            // tags, private planes
}

// Bytes of the first `count` characters.
size_t prefix(std::string_view text, size_t count) {
  size_t i = 0;
  for (; i < text.size(); ++i)
    if ((text[i] & 0xc0) != 0x80 && count-- == 0) break;
  return i;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    uint32_t code = 0;
    size_t length = decode(text, code);
    if (code == '\t' || code == '\n' || code == '\r')
      out += ' ';
    else if (length == 0 || !harmless(code))
      out += '?';
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string shortened(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto inside = [&](size_t at) { return (text[at] & 0xc0) == 0x80; };
  size_t begin = most / 2, end = text.size() - most / 2;
  while (begin > 0 && inside(begin)) --begin;
  while (end < text.size() && inside(end)) ++end;
  return fmt::format("{} … {} ({} bytes)", text.substr(0, begin), text.substr(end), text.size());
}

size_t columns(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::vector<std::string> wrap(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  for (size_t fit; width > 0 && (fit = prefix(text, width)) < text.size();) {
    size_t cut = text[fit] == ' ' ? fit : text.substr(0, fit).find_last_of(" _/,");
    cut = cut == text.npos || cut == 0 ? fit : text[cut] == ' ' ? cut : cut + 1;
    std::string_view line = text.substr(0, cut);
    lines.emplace_back(line.substr(0, line.find_last_not_of(' ') + 1));
    text.remove_prefix(cut);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

}  // namespace ww
