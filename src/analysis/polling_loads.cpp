#include "analysis/polling_loads.h"

#include <algorithm>
#include <vector>

#include "analysis/uses.h"
#include "ir/flow.h"

namespace ww::analysis {

namespace {

/// The blocks of a shortest way from a block back to itself; none if there is no such way.
std::vector<ir::BlockId> shortest_cycle(const ir::Flow& flow, ir::BlockId from) {
  std::vector<ir::BlockId> came(flow.successors.size(), ir::kNone), line = {from};
  for (size_t k = 0; k < line.size(); ++k)
    for (const ir::BlockId next : flow.successors[line[k]]) {
      if (next == from) {
        std::vector<ir::BlockId> cycle;
        for (ir::BlockId b = line[k]; b != from; b = came[b]) cycle.push_back(b);
        cycle.push_back(from);
        return cycle;
      }
      if (came[next] != ir::kNone) continue;
      came[next] = line[k];
      line.push_back(next);
    }
  return {};
}

}  // namespace

bool is_polling_load(const ir::Function& f, ir::BlockId block, const ir::Instruction& load) {
  const std::vector<ir::BlockId> cycle = shortest_cycle(ir::flow_of(f), block);
  if (cycle.empty()) return false;
  const auto each = [&](const auto& visit) {
    for (const ir::BlockId b : cycle)
      for (const ir::Instruction& in : f.blocks[b].instructions) visit(in);
  };
  std::vector<bool> of_load(f.registers.size()), address(f.registers.size());
  each_definition(f, load, [&](ir::RegId r) { of_load[r] = true; });
  // (What an atomic gives and compares with may be set anew in each round.)
  for (const ir::Operand& operand : load.operands)
    if (operand.kind == ir::Operand::Kind::Memory && operand.reg != ir::kNone) address[operand.reg] = true;
  bool moves = false;
  each([&](const ir::Instruction& in) { each_definition(f, in, [&](ir::RegId r) { moves |= address[r]; }); });
  if (moves) return false;
  for (bool changed = true; changed;) {
    changed = false;
    each([&](const ir::Instruction& in) {
      bool flows = false;
      each_use(f, in, [&](ir::RegId r) { flows |= of_load[r]; });
      if (!flows) return;
      each_definition(f, in, [&](ir::RegId r) {
        changed |= !of_load[r];
        of_load[r] = true;
      });
    });
  }
  bool decides = false;
  each([&](const ir::Instruction& in) {
    if (ir::ends_block(in.op)) each_use(f, in, [&](ir::RegId r) { decides |= of_load[r]; });
  });
  return decides;
}

}  // namespace ww::analysis
