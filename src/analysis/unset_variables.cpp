#include "analysis/unset_variables.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/uses.h"

namespace ww::analysis {

namespace {

using Kind = ir::Operand::Kind;

struct VariableAccess {
  std::optional<Location> read;
  bool written = false;  ///< or its address goes where it is not followed
};

/// The variables whose addresses a register may hold.
using Pointers = std::map<ir::RegId, std::set<ir::SymbolId>>;

class Follower {
 public:
  explicit Follower(const ir::Module& module) : module_(module) {}

  std::vector<std::pair<ir::SymbolId, VariableAccess>> accesses;  // in the order of their first one

  void follow(const ir::Function& f) {
    Pointers pointers;
    // Addresses move through few registers: until nothing is new.
    for (bool changed = true; changed;) {
      changed = false;
      for (const ir::Block& block : f.blocks)
        for (const ir::Instruction& in : block.instructions) changed |= spread(f, in, pointers);
    }
    for (const ir::Block& block : f.blocks)
      for (const ir::Instruction& in : block.instructions) see(f, in, pointers);
  }

 private:
  bool interesting(ir::SymbolId s) const {
    if (s == ir::kNone || module_.is_function(s)) return false;
    const ir::Variable& v = module_.variable(s);
    return v.owner < 0 && (v.space == ir::Space::Global || v.space == ir::Space::Const) &&
           v.initial.empty() && v.relocations.empty() && module_.symbols[s].linkage != ir::Linkage::Extern;
  }

  static bool accesses_memory(const ir::Instruction& in) {
    return std::any_of(in.operands.begin(), in.operands.end(),
                       [](const ir::Operand& o) { return o.kind == Kind::Memory; });
  }

  /// The variables that an operand's value may point to.
  std::set<ir::SymbolId> targets(const ir::Operand& o, const Pointers& pointers) const {
    std::set<ir::SymbolId> out;
    if (interesting(o.symbol)) out.insert(o.symbol);
    if (o.reg != ir::kNone)
      if (auto it = pointers.find(o.reg); it != pointers.end())
        out.insert(it->second.begin(), it->second.end());
    for (const ir::Operand& e : o.elements) out.merge(targets(e, pointers));
    return out;
  }

  /// Arithmetic on an address makes an address.
  bool spread(const ir::Function& f, const ir::Instruction& in, Pointers& pointers) const {
    if (accesses_memory(in) || in.call >= 0) return false;
    std::set<ir::SymbolId> from;
    for (size_t k = 0; k < in.operands.size() && k < in.form().operands.size(); ++k)
      if (!in.form().operands[k].dest) from.merge(targets(in.operands[k], pointers));
    if (from.empty()) return false;
    bool changed = false;
    each_definition(f, in, [&](ir::RegId r) {
      auto& known = pointers[r];
      const size_t before = known.size();
      known.insert(from.begin(), from.end());
      changed |= known.size() != before;
    });
    return changed;
  }

  VariableAccess& of(ir::SymbolId s) {
    for (auto& [symbol, access] : accesses)
      if (symbol == s) return access;
    return accesses.emplace_back(s, VariableAccess{}).second;
  }

  void see(const ir::Function& f, const ir::Instruction& in, const Pointers& pointers) {
    if (in.call >= 0)
      for (const ir::Operand& a : f.calls[static_cast<size_t>(in.call)].arguments)
        for (ir::SymbolId s : targets(a, pointers)) of(s).written = true;
    if (!accesses_memory(in)) return;
    const bool load = in.op == isa::Op::ld || in.op == isa::Op::ld_nc || in.op == isa::Op::ldu;
    for (size_t k = 0; k < in.operands.size(); ++k) {
      const ir::Operand& o = in.operands[k];
      const bool destination = k < in.form().operands.size() && in.form().operands[k].dest;
      if (o.kind != Kind::Memory && destination) continue;
      for (ir::SymbolId s : targets(o, pointers)) {
        VariableAccess& access = of(s);
        if (!load || o.kind != Kind::Memory)
          access.written = true;
        else if (!access.read)
          access.read = ir::location(module_, in.place);
      }
    }
  }

  const ir::Module& module_;
};

/// The kernel and what it calls by name; nothing where it calls through pointers, which may lead anywhere.
std::vector<const ir::Function*> reached(const ir::Module& module, const ir::Function& kernel) {
  std::vector<const ir::Function*> out{&kernel};
  for (size_t k = 0; k < out.size(); ++k)
    for (const ir::Call& call : out[k]->calls) {
      if (call.target == ir::kNone) return {};
      if (!module.is_function(call.target)) continue;
      const ir::Function* f = &module.function(call.target);
      if (std::find(out.begin(), out.end(), f) == out.end()) out.push_back(f);
    }
  return out;
}

}  // namespace

std::vector<UnsetVariable> unset_variables(const ir::Module& module, const std::string& kernel) {
  const ir::Function* entry = module.find_function(kernel);
  if (!entry) return {};
  Follower follower(module);
  for (const ir::Function* f : reached(module, *entry)) follower.follow(*f);
  // An address inside another variable's initial value may be written through.
  std::set<ir::SymbolId> pointed_to;
  for (const ir::Variable& v : module.variables)
    for (const ir::Relocation& r : v.relocations) pointed_to.insert(r.symbol);
  std::vector<UnsetVariable> out;
  for (const auto& [symbol, access] : follower.accesses)
    if (access.read && !access.written && !pointed_to.contains(symbol))
      out.push_back({module.symbols[symbol].name, *access.read});
  return out;
}

}  // namespace ww::analysis
