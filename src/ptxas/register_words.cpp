#include "ptxas/register_words.h"

#include <algorithm>

#include "analysis/liveness.h"
#include "analysis/uses.h"

namespace ww::ptxas {

namespace {

using ir::Instruction;

/// Special registers that are the same for all threads of a block.
bool uniform_special(const ir::Operand& o) {
  const std::string& name = ir::special_registers()[o.special].name;
  return name.starts_with("ctaid") || name.starts_with("nctaid") || name.starts_with("ntid");
}

/// Registers written once that need none of their own (pressure.h). `constant`: those out of the constant
/// bank.
std::vector<bool> free_registers(const ir::Function& f, const std::vector<bool>& constant,
                                 bool uniform_registers) {
  using Kind = ir::Operand::Kind;
  std::vector<int> writes(f.registers.size());
  std::vector<const Instruction*> by(f.registers.size());
  for (const auto& block : f.blocks)
    for (const auto& in : block.instructions)
      analysis::each_definition(f, in, [&](ir::RegId r) { ++writes[r], by[r] = &in; });
  std::vector<bool> uniform = constant, out = constant;
  const auto is_uniform = [&](const ir::Operand& o) {
    return o.kind == Kind::Immediate || o.kind == Kind::Address ||
           (o.kind == Kind::Special && uniform_special(o)) || (o.kind == Kind::Register && uniform[o.reg]);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (ir::RegId r = 0; r < out.size(); ++r) {
      if (uniform[r] || writes[r] != 1 || !by[r] || by[r]->guard != ir::kNone) continue;
      const auto pipe = by[r]->form().pipe;
      if (pipe != isa::Pipe::Int && pipe != isa::Pipe::Move) continue;
      if (std::all_of(by[r]->operands.begin() + 1, by[r]->operands.end(), is_uniform))
        uniform[r] = changed = true;
    }
  }
  for (ir::RegId r = 0; r < out.size(); ++r) {
    if (writes[r] != 1 || !by[r]) continue;
    const bool plus_constant = by[r]->op == ir::Op::add_int && by[r]->operands[2].kind == Kind::Immediate;
    out[r] = out[r] || plus_constant || (uniform_registers && uniform[r]);
  }
  return out;
}

}  // namespace

std::vector<int> words_of(const ir::Function& f, int sm) {
  const auto none = free_registers(f, analysis::constant_registers(f), sm >= 75);
  std::vector<int> out(f.registers.size());
  for (ir::RegId r = 0; r < out.size(); ++r) {
    const isa::Type type = f.registers[r].type;
    if (none[r] || type == isa::Type::pred) continue;
    out[r] = sm < 20 ? 1 : (isa::bits(type) + 31) / 32;
  }
  return out;
}

}  // namespace ww::ptxas
