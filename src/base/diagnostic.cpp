#include "base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace ww {

Diagnostic error(std::string message, std::string hint) {
  return {Severity::Error, std::move(message), {}, std::move(hint)};
}

Diagnostic error_at(Location where, std::string message, std::string hint) {
  return {Severity::Error, std::move(message), std::move(where), std::move(hint)};
}

namespace {

constexpr int kWidth = 100;          // characters of a source line that are shown at most
constexpr size_t kMostWords = 2000;  // bytes of a message, which may quote names of any length

std::string_view line_of(std::string_view source, int line) {
  size_t begin = 0;
  for (int i = 1; i < line; ++i) {
    begin = source.find('\n', begin);
    if (begin == source.npos) return {};
    ++begin;
  }
  return source.substr(begin, source.find('\n', begin) - begin);
}

// Bytes that a terminal could act on are shown as '?', tabs as one space so that the caret stays below its
// word.
std::string in_columns(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c == '\t')
      c = ' ';
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  }
  return out;
}

std::string excerpt(const Location& where, std::string_view source) {
  std::string_view line = line_of(source, where.line);
  if (line.empty()) return {};
  int column = std::clamp(where.column, 1, static_cast<int>(line.size()) + 1) - 1;
  int begin = std::max(0, std::min(column - kWidth / 2, static_cast<int>(line.size()) - kWidth));
  std::string shown = in_columns(line.substr(begin, kWidth));
  std::string prefix = begin > 0 ? "..." : "";
  std::string suffix = begin + kWidth < static_cast<int>(line.size()) ? "..." : "";
  int pad = static_cast<int>(prefix.size()) + column - begin;
  int length = std::clamp(where.length, 1, std::max(1, static_cast<int>(shown.size()) - (column - begin)));
  return fmt::format("  {}{}{}\n  {:{}}{}\n", prefix, shown, suffix, "", pad, std::string(length, '^'));
}

}  // namespace

std::string render(const Diagnostic& d, std::string_view source) {
  static constexpr std::string_view kNames[] = {"error", "warning", "note"};
  std::string out;
  if (!d.where.file.empty()) out += d.where.file + ":";
  if (d.where.known()) out += fmt::format("{}:", d.where.line);
  if (d.where.known() && d.where.column > 0) out += fmt::format("{}:", d.where.column);
  if (!out.empty()) out += " ";
  out += fmt::format("{}: {}\n", kNames[static_cast<int>(d.severity)], shortened(d.message, kMostWords));
  if (d.where.known() && !source.empty()) out += excerpt(d.where, source);
  if (!d.hint.empty()) out += fmt::format("  hint: {}\n", shortened(d.hint, kMostWords));
  return out;
}

std::string render(const Diagnostics& diagnostics, std::string_view source) {
  std::string out;
  for (const auto& d : diagnostics) out += render(d, source);
  return out;
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    std::vector<size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= name.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= candidate.size(); ++j) {
        size_t above = row[j];
        row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (name[i - 1] != candidate[j - 1])});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) best_distance = row.back(), best = candidate;
  }
  return best;
}

}  // namespace ww
