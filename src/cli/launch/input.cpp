#include "cli/launch/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <functional>
#include <map>

#include "base/text.h"
#include "checks/all.h"

namespace ww::cli {

namespace {

/// "X[,Y[,Z]]".
Result<device::Dim3> parse_extent(const char* option, std::string_view text) {
  device::Dim3 out;
  uint32_t* const axes[] = {&out.x, &out.y, &out.z};
  const char* at = text.data();
  const char* end = at + text.size();
  for (uint32_t* axis : axes) {
    auto [next, trouble] = std::from_chars(at, end, *axis);
    if (trouble == std::errc() && next == end) return out;
    if (trouble != std::errc() || *next != ',') break;
    at = next + 1;
  }
  return error(fmt::format("{} {} is not a size", option, printable(text)),
               "X or X,Y or X,Y,Z, for example 16,16");
}

/// Whole numbers that are given to parameters by name.
std::map<std::string, std::string> named_sizes(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> out;
  for (const std::string& text : arguments) {
    const auto argument = parse_named_argument(text);
    const auto* number = argument ? std::get_if<ScalarArgument>(&argument->value) : nullptr;
    const bool word =
        argument && !argument->name.empty() && !std::isdigit(static_cast<unsigned char>(argument->name[0]));
    if (number && word && argument->path.empty() && !number->text.empty() &&
        number->text.find_first_not_of("0123456789") == std::string::npos)
      out[argument->name] = number->text;
  }
  return out;
}

/// "random:f32[n*n]" with the numbers of the arguments that the shape names.
std::string with_sizes_of(const std::string& text, const std::map<std::string, std::string>& sizes) {
  if (const size_t star = text.find('*'), begin = text.find('=') + 1; star < text.find(':') && begin < star)
    if (const auto it = sizes.find(text.substr(begin, star - begin)); it != sizes.end())  // batch*random:…
      return with_sizes_of(text.substr(0, begin) + it->second + text.substr(star), sizes);
  std::string out;
  const size_t value = text.find(':');  // shapes stand behind the kind; p.v[1]= is none
  for (size_t i = 0, depth = 0; i < text.size();) {
    const char c = text[i];
    if (c == '[') ++depth;
    if (c == ']' && depth > 0) --depth;
    const auto letter = [](char l) { return std::isalnum(static_cast<unsigned char>(l)) || l == '_'; };
    size_t end = i;
    while (depth > 0 && i > value && end < text.size() && letter(text[end])) ++end;
    const auto it = sizes.find(text.substr(i, end - i));
    if (end == i) end = i + 1;
    out += it != sizes.end() ? it->second : text.substr(i, end - i);
    i = end;
  }
  return out;
}

/// Files that would be written twice.
void check_outputs(const LaunchInput& in, Diagnostics& wrong) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    std::error_code ignored;
    std::string at = std::filesystem::weakly_canonical(path, ignored).string();
    if (ignored || at.empty()) at = path;
    if (std::find(paths.begin(), paths.end(), at) != paths.end())
      wrong.push_back(error(fmt::format("'{}' is written twice", printable(path)), "give each its own file"));
    paths.push_back(std::move(at));
  };
  if (!in.to.out.empty()) add(in.to.out);
  const std::function<void(const LaunchArgument&)> visit = [&](const LaunchArgument& value) {
    if (const auto* array = std::get_if<ArrayArgument>(&value); array && array->writes()) add(array->path);
    if (const auto* texture = std::get_if<TextureArgument>(&value); texture && texture->texels.writes())
      add(texture->texels.path);
    if (const auto* structure = std::get_if<StructArgument>(&value))
      for (const LaunchArgument& member : structure->members) visit(member);
  };
  for (const NamedArgument& argument : in.named) visit(argument.value);
  for (const SymbolValue& symbol : in.symbols) visit(symbol.value);
}

}  // namespace

Result<LaunchInput> parse(const LaunchOptions& o) {
  LaunchInput in;
  Diagnostics wrong;
  auto keep = [&](const auto& result, auto& into) {
    if (result)
      into = *result;
    else
      wrong.insert(wrong.end(), result.error().begin(), result.error().end());
  };
  in.extents = !o.grid.empty() && !o.block.empty();
  if (!o.grid.empty()) keep(parse_extent("--grid", o.grid), in.launch.grid);
  if (!o.block.empty()) keep(parse_extent("--block", o.block), in.launch.block);
  const auto sizes = named_sizes(o.arguments);
  for (const auto& text : o.arguments)
    keep(parse_named_argument(with_sizes_of(text, sizes)), in.named.emplace_back());
  for (const auto& text : o.symbols) keep(parse_symbol(text), in.symbols.emplace_back());
  keep(destination(o.output, true), in.to);
  if (!o.checks.empty()) keep(checks::names_in(o.checks), in.checks);
  if (!o.checks.empty() && o.repeat > 0)
    wrong.push_back(error("--check takes one launch, but --repeat asks for several"));
  for (const std::string& file : o.files)
    if (o.compiles && !file.ends_with(".cu"))
      wrong.push_back(error(
          fmt::format("-I, -D, --std, --arch, --flag and --compiler are for the compiler, but '{}' is PTX",
                      printable(file))));
  if (!in.to.out.empty() && !o.count && o.repeat == 0)
    wrong.push_back(
        error("--out writes the counters, but --no-count leaves them out", "leave out one of them"));
  if (wrong.empty()) check_outputs(in, wrong);
  in.launch.dynamic_shared = o.shared;
  in.launch.cooperative = o.cooperative;
  in.launch.count = o.count;
  if (!wrong.empty()) return wrong;
  return in;
}

}  // namespace ww::cli
