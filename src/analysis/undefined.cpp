#include "analysis/undefined.h"

#include <algorithm>

#include "analysis/liveness.h"
#include "analysis/uses.h"
#include "ir/accesses.h"

namespace ww::analysis {

namespace {

/// Whether it reads a parameter of the kernel, which always is set; not what passes to or from a function.
bool of_kernel(const ir::Function& f, const ir::Instruction& in, const ir::Access& a) {
  if (a.space != ir::Space::Param || !f.entry) return false;
  const ir::SymbolId symbol = in.operands[static_cast<size_t>(a.operand)].symbol;
  return symbol == ir::kNone ||
         std::any_of(f.params.begin(), f.params.end(), [&](const auto& p) { return p.symbol == symbol; });
}

/// Whether it fills registers from memory that may not have been written, from other lanes, or by a call.
bool is_source(const ir::Function& f, const ir::Instruction& in) {
  if (in.op == ir::Op::shfl_sync || in.op == ir::Op::shfl || in.call >= 0) return true;
  if (in.mod(isa::Slot::wgshape) != isa::Mod::none) return true;  // wgmma: its matrices in shared memory
  if (!ir::loads_registers(in)) return false;
  for (const ir::Access& a : ir::accesses_of(in))
    if (a.direction != isa::Direction::Write && a.range != isa::Range::Mbarrier &&
        a.space != ir::Space::Const && !of_kernel(f, in, a))
      return true;
  return false;
}

}  // namespace

std::vector<ir::RegId> unset_registers(const ir::Function& f) {
  std::vector<ir::RegId> unset;
  if (f.blocks.empty()) return unset;
  const Liveness live = liveness_of(f);
  for (ir::RegId r = 0; r < f.registers.size(); ++r)
    if (live.in[0].has(r) &&
        std::none_of(f.params.begin(), f.params.end(), [&](const ir::Param& p) { return p.reg == r; }))
      unset.push_back(r);
  return unset;
}

std::vector<bool> may_be_undefined(const ir::Function& f) {
  std::vector<bool> undefined(f.registers.size() + 1);
  if (f.blocks.empty()) return undefined;
  for (const ir::RegId r : unset_registers(f)) undefined[r] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const ir::Block& block : f.blocks)
      for (const ir::Instruction& in : block.instructions) {
        bool flows = is_source(f, in);
        if (!flows) each_use(f, in, [&](ir::RegId r) { flows |= undefined[r]; });
        if (reads_carry(in)) flows |= undefined.back();
        if (!flows) continue;
        if (sets_carry(in)) changed |= !undefined.back(), undefined.back() = true;
        each_definition(f, in, [&](ir::RegId r) {
          changed |= !undefined[r];
          undefined[r] = true;
        });
      }
  }
  return undefined;
}

}  // namespace ww::analysis
