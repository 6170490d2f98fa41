// Arguments for parameters such as float**: several arrays, and a table of their addresses.
#include <fmt/format.h>

#include <charconv>

#include "base/text.h"
#include "cli/launch/argument_kinds.h"

namespace ww::cli {

namespace {

constexpr uint64_t kMostArrays = 1 << 16;

Diagnostic wrong_table(std::string_view text, const std::string& why) {
  return error(fmt::format("'{}' {}", printable(shortened(std::string(text), 60)), why),
               "4*random:f32[64] are four arrays, {random:f32[64],in:FILE.npy} two");
}

/// One array of a table.
Result<LaunchArgument> array_in(std::string_view text, std::string_view whole) {
  const size_t colon = std::min(text.find(':'), text.size());
  const auto kind = array_kind(text.substr(0, colon));
  if (!kind || colon == text.size())
    return wrong_table(whole, fmt::format("holds '{}', which is no array", printable(std::string(text))));
  if (*kind == ArrayArgument::Kind::Numpy) return wrong_table(whole, "holds an expression of NumPy");
  return array_argument(*kind, text.substr(0, colon), text.substr(colon + 1));
}

/// Where the number of "4*random:f32[64]" ends; npos where the text has none.
size_t times_sign(std::string_view text) {
  const size_t star = text.find_first_not_of("0123456789");
  return star == 0 || star == text.npos || text[star] != '*' ? text.npos : star;
}

}  // namespace

bool is_pointer_table(std::string_view text) { return times_sign(text) != text.npos; }

Result<LaunchArgument> pointer_table(std::string_view text) {
  StructArgument out;
  out.pointers = true;
  const size_t star = times_sign(text);
  uint64_t times = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + star, times);
  if (trouble != std::errc() || times == 0 || times > kMostArrays)
    return wrong_table(text, fmt::format("are not 1 to {} arrays", kMostArrays));
  auto array = array_in(text.substr(star + 1), text);
  if (!array) return array;
  if (const auto* one = std::get_if<ArrayArgument>(&*array); one && one->writes() && times > 1)
    return wrong_table(text, "would write all its arrays to one file");
  out.members.assign(times, *array);
  return LaunchArgument(std::move(out));
}

}  // namespace ww::cli
