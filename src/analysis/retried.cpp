#include "analysis/retried.h"

#include <algorithm>
#include <vector>

#include "analysis/uses.h"
#include "ir/accesses.h"
#include "ir/flow.h"

namespace ww::analysis {

namespace {

bool others_see(const ir::Instruction& in) {
  const std::vector<ir::Access> accesses = ir::accesses_of(in);
  return std::any_of(accesses.begin(), accesses.end(), [](const ir::Access& a) {
    return a.direction != isa::Direction::Read && a.space != ir::Space::Local && a.space != ir::Space::Param;
  });
}

}  // namespace

bool is_retried(const ir::Function& f, ir::BlockId block, const ir::Instruction& atomic) {
  std::vector<bool> address(f.registers.size());
  for (const ir::Operand& o : atomic.operands)
    if (o.kind == ir::Operand::Kind::Memory && o.reg != ir::kNone) address[o.reg] = true;
  const auto waits = [&](const ir::Instruction& in) {
    bool moves = false;
    each_definition(f, in, [&](ir::RegId r) { moves |= address[r]; });
    return !moves && in.call < 0 && !others_see(in) && !ir::waits_at_barrier(in);
  };
  const auto& own = f.blocks[block].instructions;
  const auto at = static_cast<size_t>(&atomic - own.data());
  if (!std::all_of(own.begin() + static_cast<long>(at) + 1, own.end(), waits)) return false;
  const ir::Flow flow = ir::flow_of(f);
  std::vector<bool> seen(f.blocks.size());
  std::vector<ir::BlockId> left = flow.successors[block];
  while (!left.empty()) {
    const ir::BlockId b = left.back();
    left.pop_back();
    if (b >= f.blocks.size() || seen[b]) continue;
    seen[b] = true;
    const auto& there = f.blocks[b].instructions;
    if (b == block) {
      if (std::all_of(there.begin(), there.begin() + static_cast<long>(at), waits)) return true;
      continue;
    }
    if (!std::all_of(there.begin(), there.end(), waits)) continue;
    left.insert(left.end(), flow.successors[b].begin(), flow.successors[b].end());
  }
  return false;
}

}  // namespace ww::analysis
