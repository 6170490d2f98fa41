#include "analysis/reach.h"

#include <algorithm>
#include <functional>
#include <set>

#include "base/round.h"

namespace ww::analysis {

namespace {

/// Symbols whose address an instruction of the function names.
void in_operands(const ir::Function& f, const std::function<void(ir::SymbolId)>& see) {
  std::function<void(const ir::Operand&)> operand = [&](const ir::Operand& o) {
    if (o.symbol != ir::kNone) see(o.symbol);
    for (const auto& e : o.elements) operand(e);
  };
  for (const auto& b : f.blocks)
    for (const auto& in : b.instructions)
      for (const auto& o : in.operands) operand(o);
}

bool calls_through_pointers(const ir::Function& f) {
  return std::any_of(f.calls.begin(), f.calls.end(), [](const ir::Call& c) { return c.target == ir::kNone; });
}

/// Functions whose address is taken anywhere in the module: what a pointer in memory may point to.
std::vector<ir::SymbolId> addressed(const ir::Module& module) {
  std::vector<ir::SymbolId> found;
  auto see = [&](ir::SymbolId s) {
    if (!module.is_function(s)) return;
    const ir::Function& f = module.function(s);
    if (f.defined && !f.entry && f.refused.empty()) found.push_back(s);
  };
  for (const auto& v : module.variables)
    for (const auto& relocation : v.relocations) see(relocation.symbol);
  for (const auto& f : module.functions) in_operands(f, see);
  return found;
}

}  // namespace

Reach reach(const ir::Module& module, const ir::Function& entry) {
  Reach r;
  std::set<const ir::Function*> seen{&entry};
  std::set<ir::SymbolId> variables;
  r.functions.push_back(&entry);
  std::function<void(ir::SymbolId)> see = [&](ir::SymbolId s) {
    if (module.is_function(s)) {
      const ir::Function& f = module.function(s);
      // A refused one that only a pointer names counts where it is called.
      if (f.defined && f.refused.empty() && seen.insert(&f).second) r.functions.push_back(&f);
      return;
    }
    if (!variables.insert(s).second) return;
    const ir::Variable& v = module.variable(s);
    if (v.space == ir::Space::Shared) r.shared.push_back(s);
    bool placed = v.space == ir::Space::Global || v.space == ir::Space::Const;
    if (placed && module.symbols[s].linkage == ir::Linkage::Extern) r.undefined.push_back(s);
    for (const auto& relocation : v.relocations) see(relocation.symbol);
  };
  bool pointers = false;
  for (size_t k = 0; k < r.functions.size(); ++k) {
    in_operands(*r.functions[k], see);
    for (const auto& c : r.functions[k]->calls) {
      if (c.target != ir::kNone) {
        const ir::Function& f = module.function(c.target);
        if (f.defined && seen.insert(&f).second) r.functions.push_back(&f);
      }
      for (ir::SymbolId possible : c.possible) see(possible);
    }
    if (!pointers && calls_through_pointers(*r.functions[k])) {
      pointers = true;
      for (ir::SymbolId s : addressed(module)) see(s);
    }
  }
  return r;
}

uint64_t static_shared_bytes(const ir::Module& module, const ir::Function& entry) {
  uint64_t end = 0;
  for (const ir::SymbolId s : reach(module, entry).shared) {
    const ir::Variable& v = module.variable(s);
    if (v.bytes > 0) end = round_up(end, uint64_t{std::max<uint32_t>(1, v.alignment)}) + v.bytes;
  }
  return end;
}

}  // namespace ww::analysis
