#include "cli/launch/argument.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/launch/argument_kinds.h"

namespace ww::cli {

namespace {

constexpr int kDeepest = 16;  // structs in structs

Result<LaunchArgument> parse(std::string_view text, int depth);

/// Characters before '=' if that is a name: "n", "p.x", "v[2].y", "2+8"; else 0.
size_t name_length(std::string_view text) {
  const size_t length =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]+");
  return length == text.npos || text[length] != '=' ? 0 : length;
}

/// "{a,b,{c,d}}"; commas inside of brackets separate nothing.
Result<LaunchArgument> structure(std::string_view text, int depth) {
  const auto wrong = [&](const char* why) {
    return error(fmt::format("'{}' {}", printable(shortened(text, 60)), why), "for example {s32:1,f32:2.5}");
  };
  if (text.back() != '}') return wrong("does not end with '}'");
  if (depth >= kDeepest) return wrong("holds too many structs in structs");
  StructArgument out;
  if (text == "{}") return LaunchArgument(std::move(out));
  int open = 0;
  size_t begin = 1;
  for (size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    const bool end = i + 1 == text.size();
    if (!end && (c == '{' || c == '[')) ++open;
    if (!end && (c == '}' || c == ']') && --open < 0) return wrong("has a bracket that nothing opened");
    if (!end && (c != ',' || open > 0)) continue;
    if (open > 0) return wrong("has a bracket that nothing closes");
    std::string_view piece = text.substr(begin, i - begin);
    const size_t name = name_length(piece);
    if (name > 0) out.names.emplace_back(piece.substr(0, name)), piece.remove_prefix(name + 1);
    auto member = parse(piece, depth + 1);
    if (!member) return member;
    if (auto* number = std::get_if<ScalarArgument>(&*member); number && number->type.empty()) {
      auto typed = with_type(*number, is_integer(number->text) ? "s32" : "f32");
      if (!typed) return typed.error();
      *number = std::move(*typed);
      number->guessed = true;
    }
    out.members.push_back(std::move(*member));
    begin = i + 1;
  }
  if (!out.names.empty() && out.names.size() != out.members.size())
    return wrong("names some of its members and others not");
  return LaunchArgument(std::move(out));
}

Result<LaunchArgument> parse(std::string_view text, int depth) {
  if (text.starts_with("raw:")) {
    auto meant = parse(text.substr(4), depth);
    if (!meant) return meant;
    if (auto* number = std::get_if<ScalarArgument>(&*meant)) number->raw = true;
    if (auto* array = std::get_if<ArrayArgument>(&*meant)) array->raw = true;
    return meant;
  }
  for (const char* kind : {"tex:", "tex,", "surf:", "surf,"})
    if (text.starts_with(kind) && text.find(':') != text.npos) return texture_argument(text);
  if (text.starts_with('@')) {
    if (text.size() == 1)
      return error("@ names no array", "@out is the array that a kernel before got as 'out'");
    ArrayArgument out;
    out.kind = ArrayArgument::Kind::Shared, out.path = text.substr(1);
    return LaunchArgument(std::move(out));
  }
  if (text == "null" || text == "nullptr") return typed_scalar("u64", "0");
  if (text.starts_with('{')) return structure(text, depth);
  if (is_pointer_table(text)) return pointer_table(text);
  if (is_number(text)) return LaunchArgument(ScalarArgument{"", std::string(text), {}});
  size_t colon = text.find(':');
  if (colon == text.npos) return error("it has no prefix such as 'f32:' or 'in:'", kForms);
  std::string_view kind = text.substr(0, colon), rest = text.substr(colon + 1);
  if (kind == "hex") return hexadecimal(rest);
  if (const auto array = array_kind(kind)) return array_argument(*array, kind, rest);
  if (!type_named(kind)) return error(fmt::format("'{}' is not a kind of argument", printable(kind)), kForms);
  return typed_scalar(kind, rest);
}

}  // namespace

Result<LaunchArgument> parse_argument(std::string_view text, std::string_view option) {
  auto parsed = parse(text, 0);
  if (parsed) return parsed;
  Diagnostics why = parsed.error();
  for (auto& d : why)
    d.message = fmt::format("{} '{}': {}", option, printable(shortened(text, 200)), d.message);
  return why;
}

Result<NamedArgument> parse_named_argument(std::string_view text) {
  const size_t length = name_length(text);
  NamedArgument out;
  out.text = text;
  std::string_view name = text.substr(0, length);
  if (length > 0) {
    const size_t end = std::min(name.find_first_of(".+["), name.size());
    out.name = name.substr(0, end);
    out.path = name.substr(end);
    if (out.path.starts_with('.')) out.path.erase(0, 1);
    if (out.name.empty())
      return error(fmt::format("--arg '{}' names nothing before '='", printable(shortened(text, 200))),
                   "for example n=5, p.x=1 or 2=f32:1 (the second argument)");
    text.remove_prefix(length + 1);
  }
  auto value = parse_argument(text, length > 0 ? "--arg " + printable(name) + "=" : "--arg");
  if (!value) return value.error();
  out.value = std::move(*value);
  return out;
}

}  // namespace ww::cli
