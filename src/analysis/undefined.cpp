#include "analysis/undefined.h"

#include "analysis/liveness.h"
#include "analysis/uses.h"
#include "ir/accesses.h"

namespace ww::analysis {

namespace {

/// Whether it fills registers from memory that may not have been written, or from other lanes.
bool is_source(const ir::Instruction& in) {
  if (in.op == ir::Op::shfl_sync || in.op == ir::Op::shfl) return true;
  if (!ir::loads_registers(in)) return false;
  for (const ir::Access& a : ir::accesses_of(in))
    if (a.direction != isa::Direction::Write && a.range != isa::Range::Texels &&
        a.range != isa::Range::Mbarrier && a.space != ir::Space::Const && a.space != ir::Space::Param)
      return true;
  return false;
}

}  // namespace

std::vector<bool> may_be_undefined(const ir::Function& f) {
  std::vector<bool> undefined(f.registers.size());
  if (f.blocks.empty()) return undefined;
  if (f.entry) {
    const Liveness live = liveness_of(f);
    for (ir::RegId r = 0; r < f.registers.size(); ++r) undefined[r] = live.in[0].has(r);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const ir::Block& block : f.blocks)
      for (const ir::Instruction& in : block.instructions) {
        bool flows = is_source(in);
        if (!flows && in.call < 0) each_use(f, in, [&](ir::RegId r) { flows |= undefined[r]; });
        if (!flows) continue;
        each_definition(f, in, [&](ir::RegId r) {
          changed |= !undefined[r];
          undefined[r] = true;
        });
      }
  }
  return undefined;
}

}  // namespace ww::analysis
