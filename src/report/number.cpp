#include "report/number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace ww::report {
namespace {

constexpr int kDigits = 5, kDigitsBelowOne = 4;  // significant
constexpr double kPlainFrom = 1e-4, kPlainTo = 1e15;

std::string short_real(double v) {
  if (!std::isfinite(v) || v == 0) return v == 0 ? "0" : Value{.value = v}.text();
  double size = std::abs(v);
  const int digits = size < 1 ? kDigitsBelowOne : kDigits;
  if (size < kPlainTo && v == std::trunc(v)) return fmt::format("{:.0f}", v);
  if (size < kPlainFrom || size >= kPlainTo) return fmt::format("{:.{}g}", v, digits);
  // The exponent after rounding: 9999.96 has five digits before the point.
  std::string scientific = fmt::format("{:.{}e}", v, digits - 1);
  int decimals = digits - 1 - std::stoi(scientific.substr(scientific.find('e') + 1));
  if (decimals <= 0) return fmt::format("{:.0f}", std::stod(scientific));
  std::string text = fmt::format("{:.{}f}", v, decimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

template <class T>
std::optional<T> whole(std::string_view text) {
  T value{};
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

bool looks_like_number(std::string_view text) {
  if (text == "nan" || text == "inf" || text == "-inf") return true;
  double unused = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), unused);
  return end == text.data() + text.size() && code != std::errc::invalid_argument &&
         text.find_first_not_of("+-.0123456789eE") == text.npos;
}

std::optional<Number> parse_number(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "nan") return std::nan("");
  if (text == "inf") return kInfinity;
  if (text == "-inf") return -kInfinity;
  if (!looks_like_number(text)) return {};
  if (text == "-0") return -0.0;  // the double; the integer has no sign
  if (auto integer = whole<int64_t>(text)) return *integer;
  if (auto real = whole<double>(text)) return *real;
  return {};
}

std::string short_text(const Value& value) {
  if (auto* real = std::get_if<double>(&value.value)) return short_real(*real);
  return value.text();
}

}  // namespace ww::report
