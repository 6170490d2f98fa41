#include "base/words.h"

#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

namespace ww {

std::string_view plural(int64_t count, std::string_view one, std::string_view other) {
  return count == 1 ? one : other;
}

std::string counted(int64_t count, std::string_view one, std::string_view other) {
  std::string text = std::to_string(count) + " ";
  if (count == 1) return text += one;
  if (!other.empty()) return text += other;
  return (text += one) += 's';
}

std::string listed(std::span<const std::string> items) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i)
    out += (i == 0 ? "" : i + 1 < items.size() ? ", " : " and ") + items[i];
  return out;
}

ReadableUnit readable_unit(std::string_view unit, double size) {
  constexpr std::pair<std::string_view, std::string_view> kTimes[] = {// each a thousandth of the one before
                                                                      {"s", "s"},
                                                                      {"ms", "ms"},
                                                                      {"us", "µs"},
                                                                      {"ns", "ns"},
                                                                      {"ps", "ps"}};
  constexpr double kLeastShown = 0.1;  // less has zeros that say nothing
  size_t at = 0;
  while (at < std::size(kTimes) && kTimes[at].first != unit) ++at;
  if (at == std::size(kTimes)) return {std::string(unit), 1};
  double factor = 1;
  for (; size > 0 && at + 1 < std::size(kTimes) && size * factor < kLeastShown; ++at) factor *= 1000;
  return {std::string(kTimes[at].second), factor};
}

namespace {

std::string time_in(const ReadableUnit& unit, double ms) {
  char text[48];
  const double shown = ms * unit.factor;
  std::snprintf(text, sizeof text, std::abs(shown) < 1e4 ? "%.4g %s" : "%.0f %s", shown, unit.unit.c_str());
  return text;
}

}  // namespace

std::string time_text(double ms) { return time_in(readable_unit("ms", std::abs(ms)), ms); }

std::string time_text_beside(double ms, double other) {
  const ReadableUnit unit = readable_unit("ms", std::abs(other));
  const double shown = std::abs(ms) * unit.factor;
  return shown == 0 || (shown >= 1e-3 && shown < 1e5) ? time_in(unit, ms) : time_text(ms);
}

}  // namespace ww
