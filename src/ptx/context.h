// What all parts of the parser share: the text, the module that grows, and the names.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ptx/names.h"
#include "ptx/reader.h"

namespace ww::ptx {

/// What .callprototype says of an indirect call's callee: the sizes of its results and parameters.
struct Prototype {
  std::vector<uint64_t> results, params;
};

/// A register ".reg .v2 .u32 v": its elements are registers of their own, v.x and v.y.
struct VectorRegister {
  std::vector<std::string_view> elements;
};

struct Context {
  Context(std::string file, std::string_view text) : in(file, text) { module.name = std::move(file); }

  Reader in;
  ir::Module module;
  Names names;
  std::vector<Prototype> prototypes;                       ///< Meaning::Kind::Prototype
  std::vector<std::vector<ir::SymbolId>> call_targets;     ///< Meaning::Kind::CallTargets
  std::vector<std::vector<Token>> branch_targets;          ///< Meaning::Kind::Targets
  std::vector<VectorRegister> vectors;                     ///< Meaning::Kind::Vector
  uint64_t registers = 0, initial_bytes = 0, targets = 0;  ///< so far, of all functions and variables

  /// Names that the text does not spell out (v.x, P0 of P<2>) live as long as those that it does.
  std::string_view keep(std::string name) { return kept_.emplace_back(std::move(name)); }
  size_t kept() const { return kept_.size(); }

  /// Makes a symbol that is not in `names` yet.
  ir::SymbolId add_symbol(std::string_view name, ir::Linkage linkage, const Token& at);
  /// The symbol of that name; reports when there is none.
  std::optional<ir::SymbolId> find_symbol(const Token& name);
  /// Names something in the present scope; reports when the name is taken there.
  bool declare(const Token& name, Meaning meaning);

 private:
  std::deque<std::string> kept_;
};

}  // namespace ww::ptx
