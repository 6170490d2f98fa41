#include "ptx/context.h"

#include <fmt/format.h>

namespace ww::ptx {

namespace {
std::string suggestion(const Names& names, std::string_view name) {
  std::string near = names.nearest(name);
  return near.empty() ? near : fmt::format("is '{}' meant?", near);
}
}  // namespace

ir::SymbolId Context::add_symbol(std::string_view name, ir::Linkage linkage, const Token& at) {
  ir::Symbol symbol;
  symbol.name = name;
  symbol.linkage = linkage;
  symbol.place = in.place(at);
  module.symbols.push_back(std::move(symbol));
  return static_cast<ir::SymbolId>(module.symbols.size() - 1);
}

std::optional<ir::SymbolId> Context::find_symbol(const Token& name) {
  auto meaning = names.find(name.text);
  if (meaning && meaning->kind == Meaning::Kind::Symbol) return meaning->id;
  if (meaning)
    in.error(name, fmt::format("'{}' is not a variable or function", shown(name.text)));
  else
    in.error(name, fmt::format("'{}' is not declared", shown(name.text)), suggestion(names, name.text));
  return std::nullopt;
}

bool Context::declare(const Token& name, Meaning meaning) {
  if (names.add(name.text, meaning)) return true;
  in.error(name, fmt::format("'{}' is declared twice in this scope", shown(name.text)));
  return false;
}

}  // namespace ww::ptx
