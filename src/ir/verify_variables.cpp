// Sizes, alignments and initial values of variables.
#include <fmt/format.h>

#include <bit>

#include "ir/verify_parts.h"

namespace ww::ir {

namespace {

std::string problem(const Module& module, const Symbol& symbol, const Variable& variable) {
  if (!std::has_single_bit(variable.alignment)) return "its alignment is no power of two";
  if (variable.type == Type::none || variable.type == Type::pred) return "it has no type that memory holds";
  bool array_without_size =
      variable.bytes == 0 && symbol.linkage != Linkage::Extern && variable.space != Space::Param;
  if (array_without_size) return "only an .extern array may have no size";
  if (variable.initial.empty() && variable.relocations.empty()) return "";
  if (variable.space != Space::Global && variable.space != Space::Const)
    return "only .global and .const variables have initial values";
  if (variable.initial.size() != variable.bytes) return "its initial values do not fill it";
  for (const Relocation& r : variable.relocations) {
    if (r.bytes < 1 || r.bytes > 8 || r.offset > variable.bytes ||
        variable.bytes - r.offset < static_cast<uint64_t>(r.bytes))
      return "an address in its initial values does not fit";
    if (r.symbol >= module.symbols.size()) return "an initial value names an unknown symbol";
    const Symbol& target = module.symbols[r.symbol];
    if (target.function >= 0) continue;
    Space space = module.variable(r.symbol).space;
    if (space == Space::Local || space == Space::Param)
      return fmt::format("'{}' has no address before the program runs", target.name);
  }
  return "";
}

}  // namespace

void verify_variables(const Module& module, Report& report) {
  // More than any GPU has; what a certain one has is checked at the launch.
  constexpr uint64_t kMostConst = 64 << 10, kMostShared = 256 << 10, kMostLocal = 512 << 10;
  uint64_t constants = 0;
  for (const Symbol& symbol : module.symbols) {
    if (report.full()) return;
    if ((symbol.variable < 0) == (symbol.function < 0)) {
      report.error(symbol.place, fmt::format("'{}' is neither a variable nor a function", symbol.name));
      continue;
    }
    if (symbol.variable < 0) continue;
    const Variable& variable = module.variables[static_cast<size_t>(symbol.variable)];
    std::string wrong = problem(module, symbol, variable);
    if (!wrong.empty()) report.error(symbol.place, fmt::format("variable '{}': {}", symbol.name, wrong));
    auto at_most = [&](uint64_t bytes, uint64_t most, std::string_view what) {
      if (bytes > most)
        report.error(symbol.place, fmt::format("{} bytes of {}, at most {} are allowed", bytes, what, most));
    };
    if (variable.space == Space::Shared) at_most(variable.bytes, kMostShared, "shared memory");
    if (variable.space == Space::Local) at_most(variable.bytes, kMostLocal, "local memory");
    if (variable.space == Space::Param) at_most(variable.bytes, kMostShared, "parameters");
    if (variable.space == Space::Const && constants <= kMostConst)
      at_most(constants += variable.bytes, kMostConst, "constant memory");
  }
}

}  // namespace ww::ir
