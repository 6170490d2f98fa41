// Which registers an instruction writes and reads.
#pragma once

#include <string_view>

#include "ir/module.h"

namespace ww::analysis {

/// Calls visit(RegId) for every register of an operand: its own, a memory operand's base, those of its
/// elements.
template <class F>
void each_register(const ir::Operand& operand, const F& visit) {
  using Kind = ir::Operand::Kind;
  if ((operand.kind == Kind::Register || operand.kind == Kind::Memory) && operand.reg != ir::kNone)
    visit(operand.reg);
  for (const ir::Operand& element : operand.elements) each_register(element, visit);
}

/// Whether the instruction writes the operand. The accumulators of wgmma are read and written.
inline bool writes(const isa::OperandSpec& spec) { return spec.dest || spec.name == "acc"; }

/// Calls visit(RegId) for every register that the instruction writes (perhaps not in all lanes: see `guard`).
template <class F>
void each_definition(const ir::Function& function, const ir::Instruction& instruction, const F& visit) {
  const auto& specs = instruction.form().operands;
  for (size_t i = 0; i < instruction.operands.size() && i < specs.size(); ++i)
    if (writes(specs[i])) each_register(instruction.operands[i], visit);
  if (instruction.call >= 0)
    for (const auto& result : function.calls[static_cast<size_t>(instruction.call)].results)
      each_register(result, visit);
}

/// Calls visit(RegId) for every register that the instruction reads, its guard among them.
template <class F>
void each_use(const ir::Function& function, const ir::Instruction& instruction, const F& visit) {
  if (instruction.guard != ir::kNone) visit(instruction.guard);
  const auto& specs = instruction.form().operands;
  for (size_t i = 0; i < instruction.operands.size() && i < specs.size(); ++i)
    if (!specs[i].dest) each_register(instruction.operands[i], visit);
  if (instruction.call < 0) return;
  const ir::Call& call = function.calls[static_cast<size_t>(instruction.call)];
  if (call.target_register != ir::kNone) visit(call.target_register);
  for (const auto& argument : call.arguments) each_register(argument, visit);
}

/// Whether the instruction sets the carry flag, or goes by it.
inline bool sets_carry(const ir::Instruction& in) {
  return in.form().notation.find(".cc") != std::string_view::npos;
}
inline bool reads_carry(const ir::Instruction& in) {
  const std::string_view name = in.form().mnemonic;
  return name == "addc" || name == "subc" || name == "madc";
}

/// An addition of a constant to a register.
inline bool adds_constant(const ir::Instruction& in) {
  using Kind = ir::Operand::Kind;
  return in.op == ir::Op::add_int && in.operands[1].kind == Kind::Register &&
         in.operands[2].kind == Kind::Immediate;
}

}  // namespace ww::analysis
