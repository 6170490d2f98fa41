#include "cli/own_study/guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/cpp_types.h"
#include "cli/kernel_name.h"
#include "cli/launch_parameters.h"
#include "ptx/parser.h"

namespace ww::cli {

namespace {

struct Macro {
  std::string name, value;
};

/// "#ifndef TILE / #define TILE 16": what -D may change.
std::vector<Macro> macros_of(std::string_view source) {
  static const std::regex kPattern(
      R"(#\s*ifndef\s+([A-Za-z_]\w*)\s*\n\s*#\s*define\s+([A-Za-z_]\w*)\s+([0-9]+)\b)");
  std::vector<Macro> out;
  const std::string text(source);
  for (auto it = std::sregex_iterator(text.begin(), text.end(), kPattern); it != std::sregex_iterator(); ++it)
    if ((*it)[1] == (*it)[2]) out.push_back({(*it)[1], (*it)[3]});
  return out;
}

/// The macro that is the side of a block, by its name; "" if none is.
std::string block_macro(const std::vector<Macro>& macros) {
  for (const Macro& macro : macros) {
    std::string name = macro.name;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const char* usual : {"tile", "block", "tpb", "threads"})
      if (name.find(usual) != name.npos) return macro.name;
    if (name == "bs") return macro.name;
  }
  return {};
}

/// `sizes`: "n" or "n, n".
std::string argument_guess(const std::string& type, const Parameter& parameter, size_t index,
                           const char* sizes) {
  const std::string element = element_name(type), name = fmt::format("arg{}", index);
  if (type.ends_with('*')) {
    const bool read_only = type.find("const") != type.npos;
    // Whole numbers are often places: those of random ones would lie anywhere.
    const bool random = read_only && (element.starts_with('f') || element.empty());
    return fmt::format("{}={}:{}[{}]", name, random ? "random" : "out", element.empty() ? "f32" : element,
                       sizes);
  }
  if (!element.empty()) return element[0] == 'f' ? element + ":1.0" : element == "u8" ? "u8:1" : "n";
  if (parameter.kind == Parameter::Kind::Struct)
    return fmt::format("hex:{}", std::string(2 * parameter.bytes, '0'));
  if (parameter.kind == Parameter::Kind::Float) return parameter.bytes == 8 ? "f64:1.0" : "f32:1.0";
  return parameter.bytes == 8 ? fmt::format("{}=random:f32[{}]", name, sizes) : "n";
}

bool asks_for_y(const std::string& ptx, const std::string& kernel) {
  size_t begin = ptx.find(".entry " + kernel + "(");  // its text ends where the next entry begins
  if (begin == ptx.npos) begin = 0;
  const size_t end = ptx.find(".entry ", begin + 1);
  const std::string_view text = std::string_view(ptx).substr(begin, end == ptx.npos ? end : end - begin);
  return text.find("%tid.y") != text.npos || text.find("%ctaid.y") != text.npos;
}

std::string quoted_list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + json_quote(item);
  return "[" + out + "]";
}

}  // namespace

Result<std::string> first_study(const std::string& file, const std::string& ptx, std::string_view source) {
  auto module = ptx::parse(file, ptx);
  if (!module) return module.error();
  const std::string base = file.substr(file.rfind('/') + 1);
  const std::vector<Macro> macros = macros_of(source);
  const std::string side = block_macro(macros);
  std::vector<std::string> kernels;
  for (const ir::Function& f : module->functions) {
    if (!f.entry) continue;
    const std::string name = module->symbols[f.symbol].name;
    const bool plane = asks_for_y(ptx, name);
    std::string readable = readable_kernel(name);
    if (readable.starts_with("void ")) readable.erase(0, 5);  // of a template
    const auto types = types_in(readable);
    const auto parameters = parameters_of(*module, name);
    std::vector<std::string> arguments;
    for (size_t i = 0; i < parameters.size(); ++i)
      arguments.push_back(
          argument_guess(i < types.size() ? types[i] : "", parameters[i], i, plane ? "n, n" : "n"));
    const std::string block = side.empty() ? (plane ? "16" : "256") : side;
    const std::string grid = fmt::format("cdiv(n, {})", block);
    const std::string block_text = side.empty() ? block : json_quote(block);
    kernels.push_back(fmt::format(
        "    {{\n      \"kernel\": {},\n      \"grid\": {},\n      \"block\": {},\n      \"args\": {}\n    "
        "}}",
        json_quote(base + ":" + readable.substr(0, readable.find('('))),
        plane ? quoted_list({grid, grid}) : quoted_list({grid}),
        plane ? "[" + block_text + ", " + block_text + "]" : "[" + block_text + "]", quoted_list(arguments)));
  }
  if (kernels.empty()) return error(fmt::format("'{}' has no kernels", printable(file)));
  std::string axes = "\"n\": [1024, 2048]", quick, defines;
  for (const Macro& macro : macros) {
    axes += fmt::format(", {}: [{}]", json_quote(macro.name), macro.value);
    defines +=
        fmt::format("{}{}: {}", defines.empty() ? "" : ", ", json_quote(macro.name), json_quote(macro.name));
  }
  return fmt::format(
      "{{\n  \"summary\": {},\n  \"gpus\": [\"h200\"],\n  \"axes\": {{{}}},\n  \"quick\": {{\"n\": "
      "[256]}},\n{}  "
      "\"kernels\": [\n{}\n  ]\n}}\n",
      json_quote("Kernels of " + base), axes, defines.empty() ? "" : "  \"define\": {" + defines + "},\n",
      fmt::join(kernels, ",\n"));
}

}  // namespace ww::cli
