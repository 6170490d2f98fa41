#include "cli/own_study/guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/compile/cpp_parameters.h"
#include "cli/compile/cpp_types.h"
#include "cli/compile/kernel_name.h"
#include "cli/launch/block_guess.h"
#include "cli/launch/parameters.h"
#include "ptx/debug_types.h"
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

/// How large arrays and whole numbers are: elements for each thread, and "n" or a small number, which sizes
/// that are multiplied with each other want.
struct Sizes {
  int elements = 1;
  const char* whole = "n";
};
constexpr Sizes kSizes[] = {{1, "n"}, {4, "n"}, {32, "n"}, {1, "8"}, {32, "8"}};

/// Of an array, or of a number, as `type` says; "" where it does not tell.
std::string value_guess(const std::string& type, const std::string& sizes, const Sizes& guess) {
  const std::string element = element_name(type);
  if (type.ends_with('*')) {
    const bool read_only = type.find("const") != type.npos;
    // Whole numbers are often places: those of random ones would lie anywhere.
    const bool random = read_only && (element.starts_with('f') || element.empty());
    return fmt::format("{}:{}[{}]", random ? "random" : "out",
                       element.empty()     ? "f32"
                       : element == "bf16" ? "u16"
                                           : element,
                       sizes);
  }
  if (element.empty()) return {};
  return element[0] == 'f' || element == "bf16" ? element + ":1.0" : element == "u8" ? "u8:1" : guess.whole;
}

/// The entries of "args" for one parameter; several for the members of a struct.
void add_argument_guesses(const std::string& type, const Parameter& parameter, size_t index, bool plane,
                          const Sizes& guess, std::vector<std::string>& out) {
  constexpr size_t kMostStructMembers = 48;
  const std::string name = parameter.name.empty() ? fmt::format("arg{}", index) : parameter.name,
                    sizes = (plane ? "n, " : "") +
                            (guess.elements == 1 ? "n" : fmt::format("{} * n", guess.elements));
  const auto named = [&](const std::string& value) {
    out.push_back(parameter.name.empty() ? value : name + "=" + value);
  };
  const std::string value = value_guess(type, sizes, guess);
  if (!parameter.object.empty()) return named(texture_text(parameter.texture, "n", plane ? "n" : ""));
  if (type.ends_with('*')) return out.push_back(name + "=" + value);
  if (!value.empty()) return named(value);
  if (parameter.kind == Parameter::Kind::Struct) {
    if (parameter.members.empty() || parameter.name.empty() || parameter.members.size() > kMostStructMembers)
      return named(fmt::format("hex:{}", std::string(2 * parameter.bytes, '0')));
    for (const ptx::DebugMember& m : parameter.members)
      if (const std::string member = value_guess(m.type, sizes, guess); !member.empty())
        out.push_back(name + "." + m.path + "=" + member);
    return;
  }
  if (parameter.kind == Parameter::Kind::Float) return named(parameter.bytes == 8 ? "f64:1.0" : "f32:1.0");
  if (parameter.bytes == 8) return out.push_back(fmt::format("{}=random:f32[{}]", name, sizes));
  named(guess.whole);
}

/// Whether a kernel asks for one of these special registers.
bool asks_for(const std::string& ptx, const std::string& kernel, std::initializer_list<const char*> names) {
  size_t begin = ptx.find(".entry " + kernel + "(");  // its text ends where the next entry begins
  if (begin == ptx.npos) begin = 0;
  const size_t end = ptx.find(".entry ", begin + 1);
  const std::string_view text = std::string_view(ptx).substr(begin, end == ptx.npos ? end : end - begin);
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return text.find(name) != text.npos; });
}

std::string quoted_list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + json_quote(item);
  return "[" + out + "]";
}

}  // namespace

Result<FirstStudy> first_study(const std::string& file, const std::string& ptx, std::string_view source,
                               const CompileOptions& compile, std::string_view debug,
                               const std::function<bool(const std::string&)>& runs) {
  auto module = ptx::parse(file, ptx);
  if (!module) return module.error();
  FirstStudy out;
  const auto told = ptx::debug_parameters(debug);
  const std::string base = file.substr(file.rfind('/') + 1);
  const std::vector<Macro> macros = macros_of(source);
  const std::string macro = block_macro(macros);
  std::string axes = "\"n\": [1024, 2048]", defines;
  for (const Macro& m : macros) {
    axes += fmt::format(", {}: [{}]", json_quote(m.name), m.value);
    defines += fmt::format("{}{}: {}", defines.empty() ? "" : ", ", json_quote(m.name), json_quote(m.name));
  }
  for (const std::string& given : compile.defines) {  // -D NAME or NAME=VALUE
    const size_t equals = std::min(given.find('='), given.size());
    defines += fmt::format("{}{}: {}", defines.empty() ? "" : ", ", json_quote(given.substr(0, equals)),
                           json_quote(equals < given.size() ? given.substr(equals + 1) : "1"));
  }
  std::string compiled;
  if (!compile.includes.empty()) compiled += "  \"include\": " + quoted_list(compile.includes) + ",\n";
  if (!compile.arch.empty()) compiled += "  \"arch\": " + json_quote(compile.arch) + ",\n";
  if (!compile.standard.empty()) compiled += "  \"std\": " + json_quote(compile.standard) + ",\n";
  if (!compile.compiler.empty()) compiled += "  \"compiler\": " + json_quote(compile.compiler) + ",\n";
  if (!compile.flags.empty()) compiled += "  \"flags\": " + quoted_list(compile.flags) + ",\n";
  if (!defines.empty()) compiled += "  \"define\": {" + defines + "},\n";
  const auto study_of = [&](const std::string& kernels, bool compiles) {
    return fmt::format(
        "{{\n  \"summary\": {},\n  \"gpus\": [\"h200\"],\n  \"axes\": {{{}}},\n  \"quick\": {{\"n\": "
        "[256]}},\n{}  \"kernels\": [\n{}\n  ]\n}}\n",
        json_quote("Kernels of " + base), axes, compiles ? compiled : "", kernels);
  };
  std::vector<std::string> kernels;
  for (size_t index = 0; index < module->functions.size(); ++index) {
    const ir::Function& f = module->functions[index];
    if (!f.entry) continue;
    const std::string name = module->symbols[f.symbol].name;
    const bool threads_in_plane = asks_for(ptx, name, {"%tid.y"});
    const bool plane = threads_in_plane || asks_for(ptx, name, {"%ctaid.y"});
    std::string readable = readable_kernel(name);
    if (readable.starts_with("void ")) readable.erase(0, 5);  // of a template
    const auto types = types_in(readable);
    auto parameters = parameters_of(*module, name);
    if (file.ends_with(".cu")) add_source(parameters, std::string(source), file, plain_name(name));
    if (const auto it = told.find(name); it != told.end()) add_debug(parameters, it->second);
    const std::string entry = readable.substr(0, readable.find('('));
    const auto text_of = [&](const std::string& of, const BlockLayout& l, const Sizes& sizes) {
      std::vector<std::string> arguments;
      for (size_t i = 0; i < parameters.size(); ++i)
        add_argument_guesses(i < types.size() ? types[i] : "", parameters[i], i, plane, sizes, arguments);
      const auto side = [&](uint64_t number) {
        return macro.empty() ? std::to_string(number) : json_quote(macro);
      };
      const auto blocks = [&](uint64_t elements) {
        return fmt::format("cdiv(n, {})", macro.empty() ? std::to_string(elements) : macro);
      };
      const uint64_t high = l.high == 1 && plane ? l.wide : l.high;
      return fmt::format(
          "    {{\n      \"kernel\": {},\n      \"grid\": {},\n      \"block\": [{}],\n      \"args\": {}\n  "
          "  }}",
          json_quote(of + ":" + entry),
          plane ? quoted_list({blocks(l.wide), blocks(high)}) : quoted_list({blocks(l.wide)}),
          threads_in_plane ? side(l.x) + ", " + side(l.y) : side(l.x), quoted_list(arguments));
    };
    const std::vector<BlockLayout> all =
        block_layouts(*module, static_cast<int>(index), plane, threads_in_plane);
    std::string good;
    for (const Sizes& sizes : kSizes)
      for (const BlockLayout& l : all)
        if (good.empty() && runs(study_of(text_of(kTriedFile, l, sizes), false)))
          good = text_of(base, l, sizes);
    if (good.empty()) out.not_run.push_back(entry);
    kernels.push_back(good.empty() ? text_of(base, all.front(), kSizes[0]) : good);
  }
  if (kernels.empty()) return error(fmt::format("'{}' has no kernels", printable(file)));
  out.text = study_of(fmt::format("{}", fmt::join(kernels, ",\n")), true);
  return out;
}

}  // namespace ww::cli
