#include "analysis/liveness.h"

#include <algorithm>

#include "analysis/uses.h"
#include "ir/flow.h"

namespace ww::analysis {

namespace {

using ir::Instruction;
using ir::Op;

// Backwards over one instruction.
void step_back(const ir::Function& function, const Instruction& instruction, RegisterSet& live) {
  if (instruction.guard == ir::kNone)
    each_definition(function, instruction, [&](ir::RegId reg) { live.remove(reg); });
  each_use(function, instruction, [&](ir::RegId reg) { live.add(reg); });
}

}  // namespace

bool RegisterSet::add(const RegisterSet& other) {
  bool changed = false;
  for (size_t i = 0; i < words_.size(); ++i) {
    uint64_t both = words_[i] | other.words_[i];
    changed |= both != words_[i];
    words_[i] = both;
  }
  return changed;
}

Liveness liveness_of(const ir::Function& function) {
  ir::Flow flow = ir::flow_of(function);
  size_t n = function.blocks.size();
  Liveness live;
  live.in.assign(n, RegisterSet(function.registers.size()));
  live.out = live.in;
  // A function's results in registers are read by its caller.
  for (const auto& result : function.results)
    if (result.reg != ir::kNone)
      for (ir::BlockId exit : flow.exits) live.out[exit].add(result.reg);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = n; k-- > 0;) {
      auto b = static_cast<ir::BlockId>(k);
      for (ir::BlockId next : flow.successors[b]) live.out[b].add(live.in[next]);
      RegisterSet at = live.out[b];
      const auto& instructions = function.blocks[b].instructions;
      for (size_t i = instructions.size(); i-- > 0;) step_back(function, instructions[i], at);
      changed |= live.in[b].add(at);
    }
  }
  return live;
}

std::vector<bool> constant_registers(const ir::Function& function) {
  std::vector<int> writes(function.registers.size());
  std::vector<const Instruction*> by(function.registers.size());
  for (const auto& param : function.params)
    if (param.reg != ir::kNone) ++writes[param.reg];
  for (const auto& block : function.blocks)
    for (const auto& instruction : block.instructions)
      each_definition(function, instruction, [&](ir::RegId reg) { ++writes[reg], by[reg] = &instruction; });
  std::vector<bool> constant(function.registers.size());
  auto of_constants = [&](const Instruction& in) {
    if (in.guard != ir::kNone) return false;
    if (in.op == Op::ld) return ir::space_of(in) == ir::Space::Param && function.entry;
    if (in.op != Op::mov && in.op != Op::cvta && in.op != Op::cvta_to) return false;
    const auto& source = in.operands[1];
    return source.kind == ir::Operand::Kind::Immediate || source.kind == ir::Operand::Kind::Address ||
           (source.kind == ir::Operand::Kind::Register && constant[source.reg]);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (ir::RegId reg = 0; reg < constant.size(); ++reg)
      if (!constant[reg] && writes[reg] == 1 && by[reg] && of_constants(*by[reg]))
        constant[reg] = changed = true;
  }
  return constant;
}

}  // namespace ww::analysis
