#include "userkernel/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/expression.h"
#include "base/text.h"

namespace ww::userkernel {

namespace {

bool is_plain_number(const std::string& text) {
  if (text.empty() || text.find_first_of(" \t") != text.npos) return false;
  char* end = nullptr;
  (void)std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size();
}

Result<ExpressionValue> value_of_axis(const AxisValues& values, std::string_view name) {
  const auto it = values.find(std::string(name));
  if (it == values.end()) {
    std::vector<std::string> names;
    for (const auto& [axis, value] : values) names.push_back(axis);
    const std::string near = nearest(std::string(name), names);
    return error(fmt::format("there is no axis '{}'", printable(name)),
                 !near.empty()   ? fmt::format("did you mean '{}'?", near)
                 : names.empty() ? "the study has no axes"
                                 : fmt::format("axes are {}", fmt::join(names, ", ")));
  }
  int64_t whole = 0;
  const std::string& text = it->second;
  if (const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), whole);
      wrong == std::errc() && end == text.data() + text.size())
    return ExpressionValue(whole);
  if (is_plain_number(text)) return ExpressionValue(std::strtod(text.c_str(), nullptr));
  return error(fmt::format("the axis {} is the word '{}' here, no number", printable(name), printable(text)),
               fmt::format("{{{}}} puts the word in", name));
}

Result<ExpressionValue> number_of_text(std::string_view text, Location where, const AxisValues& values) {
  return evaluate(text, where, [&](std::string_view name) { return value_of_axis(values, name); });
}

/// Pieces between commas that no bracket holds, with where they begin.
std::vector<std::pair<size_t, std::string>> pieces(std::string_view text) {
  std::vector<std::pair<size_t, std::string>> out;
  int open = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '(' || c == '[' || c == '{') ++open;
    if (c == ')' || c == ']' || c == '}') --open;
    if (c != ',' || (open > 0 && i < text.size())) continue;
    out.emplace_back(begin, std::string(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return out;
}

Location behind(Location where, size_t at) {
  if (where.known()) where.column += static_cast<int>(at);
  return where;
}

/// "f32[n*n, 2]…" with its sizes worked out; what follows the bracket stays.
Result<std::string> with_sizes(const std::string& text, const Location& where, const AxisValues& values) {
  const size_t open = text.find('['), close = text.find(']', open);
  if (open == text.npos || close == text.npos) return text;
  std::string sizes;
  for (const auto& [at, piece] : pieces(std::string_view(text).substr(open + 1, close - open - 1))) {
    auto size = whole_number({piece, behind(where, open + 1 + at)}, values, 1, INT64_MAX);
    if (!size) return size.error();
    sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", *size);
  }
  return text.substr(0, open + 1) + sizes + text.substr(close);
}

std::string in_folder(const std::string& path, const std::string& folder) {
  return path.empty() || path[0] == '/' ? path : folder + path;
}

/// The length of "x=" or "in.v[2]=" at the beginning of a struct's member; 0 where its name is not said.
size_t member_name(const std::string& text) {
  const size_t end =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]");
  const bool named = end != text.npos && end > 0 && text[end] == '=' && text.compare(end, 2, "==") != 0 &&
                     std::string_view("0123456789.").find(text[0]) == std::string_view::npos;
  return named ? end + 1 : 0;
}

Result<std::string> argument_text(const std::string& text, const Location& where, const AxisValues& values,
                                  const std::string& folder) {
  if (text.starts_with('{') && text.ends_with('}')) {
    std::string members;
    for (const auto& [at, piece] : pieces(std::string_view(text).substr(1, text.size() - 2))) {
      const size_t name = member_name(piece);
      auto member = argument_text(piece.substr(name), behind(where, 1 + at + name), values, folder);
      if (!member) return member;
      members += (members.empty() ? "" : ",") + piece.substr(0, name) + *member;
    }
    return "{" + members + "}";
  }
  if (const size_t star = text.find("*"), named = text.find(':'); star < named && named != text.npos) {
    for (const char* kind : {"random:", "range:", "out:", "in:"})
      if (text.compare(star + 1, std::string_view(kind).size(), kind) == 0) {  // "batch * …" arrays
        auto times = number_of_text(text.substr(0, star), where, values);
        auto array = argument_text(text.substr(star + 1), behind(where, star + 1), values, folder);
        if (!times) return times.error();
        if (!array) return array;
        if (const std::string nowhere = std::string(":") + kNowhere; array->ends_with(nowhere))
          array->resize(array->size() - nowhere.size());
        return text_of(*times) + "*" + *array;
      }
  }
  if (text.starts_with('@')) return text;  // an array of a kernel before
  const size_t colon = text.find(':');
  const std::string kind = colon == text.npos ? "" : text.substr(0, colon);
  const std::string rest = colon == text.npos ? text : text.substr(colon + 1);
  if (kind == "in" || kind == "inout") return kind + ":" + in_folder(rest, folder);
  if (kind == "hex" || text == "null") return text;
  if (kind == "raw" || kind.starts_with("tex") || kind.starts_with("surf")) {
    const bool bare = kind != "raw" && rest.substr(0, rest.find('[')).find(':') == rest.npos;
    auto inner = bare ? with_sizes(rest, behind(where, colon + 1), values)
                      : argument_text(rest, behind(where, colon + 1), values, folder);
    if (!inner) return inner;
    return kind + ":" + *inner;
  }
  if (kind == "random" || kind == "range" || kind == "out") {
    auto sized = with_sizes(rest, behind(where, colon + 1), values);
    if (!sized) return sized;
    const size_t shape = std::min(sized->find(']') + 1, sized->size()), plus = sized->rfind('+');
    const bool skips = plus != sized->npos && plus >= shape;  // "+3": the kernel gets a later element
    const std::string skipped = skips ? sized->substr(plus) : "";
    std::string file = sized->substr(shape, skips ? plus - shape : sized->npos);
    if (file.starts_with(':') && file.size() > 1)
      file = ":" + in_folder(file.substr(1), folder);
    else if (file.empty() && kind == "out")
      file = std::string(":") + kNowhere;
    return kind + ":" + sized->substr(0, shape) + file + skipped;
  }
  if (is_plain_number(rest) || rest.starts_with("0x")) return text;
  auto number = number_of_text(rest, behind(where, colon == text.npos ? 0 : colon + 1), values);
  if (!number) return number.error();
  return (kind.empty() ? "" : kind + ":") + text_of(*number);
}

void add_new(std::vector<std::string>& all, const std::string& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

}  // namespace

std::string with_values(const std::string& text, const AxisValues& values) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t close = text[at] == '{' ? text.find('}', at) : text.npos;
    const auto it = close == text.npos ? values.end() : values.find(text.substr(at + 1, close - at - 1));
    if (it == values.end()) {
      out += text[at++];
    } else {
      out += it->second;
      at = close + 1;
    }
  }
  return out;
}

Result<int64_t> whole_number(const StudyText& text, const AxisValues& values, int64_t least, int64_t most) {
  auto number = number_of_text(with_values(text.text, values), text.where, values);
  if (!number) return number.error();
  const auto* whole = std::get_if<int64_t>(&*number);
  if (!whole)
    return error_at(text.where,
                    fmt::format("{} is {}, no whole number", printable(text.text), text_of(*number)));
  if (*whole < least || *whole > most)
    return error_at(text.where,
                    fmt::format("{} is {} here, {} {}", printable(text.text), *whole,
                                *whole < least ? "less than" : "more than", *whole < least ? least : most));
  return *whole;
}

Result<device::Dim3> extent_of(const std::vector<StudyText>& texts, const AxisValues& values) {
  device::Dim3 out;
  uint32_t* const places[] = {&out.x, &out.y, &out.z};
  for (size_t i = 0; i < texts.size() && i < 3; ++i) {
    auto number = whole_number(texts[i], values, 1, INT32_MAX);
    if (!number) return number.error();
    *places[i] = static_cast<uint32_t>(*number);
  }
  return out;
}

Result<std::string> define_of(const StudyText& text, const AxisValues& values) {
  const std::string filled = with_values(text.text, values);
  const size_t equals = filled.find('=');
  if (equals == filled.npos) return filled;
  const std::string value = filled.substr(equals + 1);
  if (const auto it = values.find(value); it != values.end())
    return filled.substr(0, equals + 1) + it->second;
  // A macro may be anything; what is an expression of the axes is worked out.
  const auto names = names_in_expression(value);
  const bool ours = !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return values.count(name) > 0;
  });
  if (!ours) return filled;
  auto number = number_of_text(value, behind(text.where, equals + 1), values);
  if (!number) return number.error();
  return filled.substr(0, equals + 1) + text_of(*number);
}

Result<std::string> argument_of(const StudyText& text, const AxisValues& values, const std::string& folder) {
  return argument_text(with_values(text.text, values), text.where, values, folder);
}

std::vector<std::string> axes_in(const std::string& text, const std::vector<StudyAxis>& axes) {
  std::vector<std::string> out;
  // A name in braces is a word of its own too.
  std::string plain = text;
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return c == '{' || c == '}' || c == '@'; }, ' ');
  for (const std::string& name : names_in_expression(plain))
    for (const StudyAxis& axis : axes)
      if (axis.info.name == name) add_new(out, name);
  return out;
}

std::vector<std::string> axes_in_sizes(const std::string& argument, const std::vector<StudyAxis>& axes) {
  std::vector<std::string> out;
  for (size_t open = argument.find('['); open != argument.npos; open = argument.find('[', open + 1))
    for (const std::string& name : axes_in(argument.substr(open, argument.find(']', open) - open), axes))
      add_new(out, name);
  return out;
}

}  // namespace ww::userkernel
