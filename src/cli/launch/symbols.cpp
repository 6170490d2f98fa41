#include "cli/launch/symbols.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/symbol_name.h"
#include "base/text.h"
#include "cli/compile/cpp_types.h"
#include "cli/compile/kernel_name.h"
#include "cli/launch/assign.h"
#include "cli/launch/parameters.h"
#include "ir/module.h"

namespace ww::cli {

namespace {

struct Candidate {
  std::string name, readable;
  ir::SymbolId symbol;
};

/// The variables that a host can set.
std::vector<Candidate> candidates_of(const ir::Module& module) {
  std::vector<Candidate> out;
  for (ir::SymbolId s = 0; s < module.symbols.size(); ++s) {
    if (module.symbols[s].variable < 0) continue;
    const ir::Variable& v = module.variable(s);
    if (v.owner >= 0 || (v.space != ir::Space::Global && v.space != ir::Space::Const)) continue;
    const std::string& name = module.symbols[s].name;
    out.push_back({name, demangled(name), s});
  }
  return out;
}

Result<Candidate> find(const std::vector<Candidate>& all, const std::string& wanted) {
  std::vector<Candidate> found;
  std::vector<std::string> names;
  for (const Candidate& c : all) {
    if (c.name == wanted) return c;
    if (c.readable == wanted) found.push_back(c);
    names.push_back(c.readable);
  }
  if (found.size() == 1) return found[0];
  if (found.size() > 1)
    return error(fmt::format("several variables are called '{}'", printable(wanted)),
                 "name it as the PTX does");
  const std::string near = nearest(wanted, names);
  return error(fmt::format("the module has no variable '{}'", printable(wanted)),
               !near.empty()   ? fmt::format("did you mean '{}'?", near)
               : names.empty() ? "it has none in global or constant memory"
                               : fmt::format("it has {}", fmt::join(names, ", ")));
}

/// Values of one struct's members become one value, where its members are known.
void gather_members(const ir::Module& code, const std::vector<Candidate>& all,
                    std::vector<SymbolValue>& values, const KnownVariables& known, Diagnostics* notes,
                    Diagnostics& wrong) {
  std::vector<SymbolValue> out;
  for (size_t k = 0; k < values.size(); ++k) {
    const bool structure = std::holds_alternative<StructArgument>(values[k].value);
    if (values[k].path.empty() && !structure) {
      out.push_back(std::move(values[k]));
      continue;
    }
    const std::string name = values[k].name;
    std::vector<std::pair<std::string, LaunchArgument>> parts;
    for (size_t i = k; i < values.size(); ++i)
      if (values[i].name == name) parts.emplace_back(values[i].path, std::move(values[i].value));
    std::erase_if(values, [&](const SymbolValue& v) { return &v > &values[k] && v.name == name; });
    const auto found = find(all, name);
    const auto members = found ? known.members.find(plain_name(found->name)) : known.members.end();
    if (!found || members == known.members.end()) {
      if (found && !values[k].path.empty())
        wrong.push_back(
            error(fmt::format("the members of the variable '{}' are not known here", printable(name)),
                  "give all of them in order, --symbol p={s32:1,f32:2.5}, or its bytes, hex:…"));
      else
        out.push_back({name, "", std::move(parts[0].second)});
      continue;
    }
    Parameter p = variable_parameter(code.variable(found->symbol));
    p.kind = Parameter::Kind::Struct;
    p.members = members->second;
    Diagnostics said;
    auto value = struct_of_members(p, "variable " + found->readable, parts, said);
    if (!value)
      wrong.insert(wrong.end(), value.error().begin(), value.error().end());
    else
      out.push_back({name, "", std::move(*value)});
    if (notes) notes->insert(notes->end(), said.begin(), said.end());
  }
  values = std::move(out);
}

}  // namespace

bool asks_for_members(const std::vector<SymbolValue>& values) {
  return std::any_of(values.begin(), values.end(), [](const SymbolValue& v) {
    return !v.path.empty() || std::holds_alternative<StructArgument>(v.value);
  });
}

Result<SymbolValue> parse_symbol(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == text.npos || equals == 0)
    return error(fmt::format("--symbol '{}' is not NAME=VALUE", printable(shortened(text, 200))),
                 "for example scale=f32:2.5 or weights=in:w.npy");
  std::string name(text.substr(0, equals)), path;
  if (const size_t dot = name.find_first_of(".["); dot != name.npos && dot > 0) {
    path = name.substr(dot + (name[dot] == '.' ? 1 : 0));
    name.resize(dot);
  }
  auto value = parse_argument(text.substr(equals + 1), "--symbol " + printable(shortened(name, 60)));
  if (!value) return value.error();
  return SymbolValue{name, path, std::move(*value)};
}

Status set_symbols(const device::Module& module, std::vector<SymbolValue>& values, LaunchBuffers& buffers,
                   uint64_t seed, std::vector<std::string>& names, const KnownVariables& known,
                   Diagnostics* notes) {
  if (values.empty()) return {};
  constexpr uint64_t kStream = 1 << 20;  // random numbers of their own, apart from the arguments'
  if (!module.code()) return error("this device does not know the addresses of variables");
  const auto all = candidates_of(*module.code());
  Diagnostics wrong;
  const auto keep = [&](const Status& ok) {
    if (!ok) wrong.insert(wrong.end(), ok.error().begin(), ok.error().end());
    return ok.ok();
  };
  gather_members(*module.code(), all, values, known, notes, wrong);
  for (size_t k = 0; k < values.size(); ++k) {
    auto found = find(all, values[k].name);
    if (!found) {
      keep(found.error());
      continue;
    }
    if (std::find(names.begin(), names.end(), found->name) != names.end()) {
      keep(error(fmt::format("--symbol {} is given twice", printable(values[k].name))));
      continue;
    }
    names.push_back(found->name);
    const auto at = module.variable(found->name);
    const bool array = std::holds_alternative<ArrayArgument>(values[k].value);
    Parameter parameter = variable_parameter(module.code()->variable(found->symbol));
    if (array) {
      const ir::Variable& v = module.code()->variable(found->symbol);
      Parameter elements;
      elements.kind = Parameter::Kind::Integer, elements.bytes = 8, elements.type = "u64";
      elements.pointer = true;
      const auto type = known.types.find(plain_name(found->name));
      if (type != known.types.end())
        elements.cpp = type->second, elements.element = element_name(type->second);
      else if (const std::string name(isa::name(v.type)); name[0] != 'b')
        elements.element = name;
      if (!keep(fit_argument(values[k].value, elements, "variable " + found->readable))) continue;
    }
    if (!array && !keep(fit_argument(values[k].value, parameter, "variable " + found->readable, true)))
      continue;
    if (at)
      keep(buffers.prepare_variable(found->readable, at->address, at->bytes, values[k].value, seed,
                                    kStream + k));
  }
  if (!wrong.empty()) return wrong;
  return {};
}

KeptVariables::KeptVariables(device::Device& device, const device::Module& module) : device_(device) {
  if (!module.code()) return;
  for (const Candidate& c : candidates_of(*module.code()))
    if (const auto at = module.variable(c.name); at && at->bytes > 0) {
      std::vector<std::byte> content(at->bytes);
      if (device.read(at->address, content)) contents_.emplace_back(at->address, std::move(content));
    }
}

Status KeptVariables::restore() {
  for (const auto& [address, content] : contents_)
    if (auto ok = device_.write(address, content); !ok) return ok;
  return {};
}

}  // namespace ww::cli
