#include "ptxas/machine_code.h"

#include <algorithm>

#include "analysis/uses.h"
#include "ir/flow.h"
#include "ptxas/merge_shared.h"

namespace ww::ptxas {

namespace {

using ir::Instruction;
using ir::Op;
using ir::Operand;
using isa::Pipe;

/// Instructions that ptxas 13.0 was seen to predicate rather than to branch over.
constexpr size_t kFewInstructions = 6;

// Steps of the short programs for what no unit does in one.
constexpr float kDivisionSteps = 8, kDoubleDivisionSteps = 14, kIntegerDivisionSteps = 18;

int width(const Instruction& in) {
  const isa::Type type = in.type();
  return type == isa::Type::none ? 32 : isa::bits(type);
}

bool constant_source(const Instruction& in, size_t operand) {
  return in.operands.size() > operand && in.operands[operand].kind == Operand::Kind::Immediate;
}

/// What is known of a function's registers before its instructions are looked at one by one.
class Registers {
 public:
  explicit Registers(const ir::Function& f)
      : writes_(f.registers.size()),
        by_(f.registers.size()),
        uses_(f.registers.size()),
        addresses_(f.registers.size()),
        wide_addends_(f.registers.size()) {
    for (const auto& block : f.blocks)
      for (const auto& in : block.instructions) {
        analysis::each_definition(f, in, [&](ir::RegId r) { ++writes_[r], by_[r] = &in; });
        analysis::each_use(f, in, [&](ir::RegId r) { ++uses_[r]; });
        for (const Operand& o : in.operands)
          if (o.kind == Operand::Kind::Memory && o.reg != ir::kNone) ++addresses_[o.reg];
        if (in.op == Op::add_int && width(in) == 64)
          for (size_t k = 1; k < in.operands.size(); ++k)
            if (in.operands[k].kind == Operand::Kind::Register) ++wide_addends_[in.operands[k].reg];
      }
  }
  bool only_address(ir::RegId r) const { return writes_[r] == 1 && uses_[r] == addresses_[r]; }
  bool product(const Operand& o) const {
    return o.kind == Operand::Kind::Register && writes_[o.reg] == 1 && by_[o.reg]->op == Op::mul_wide;
  }
  bool only_added(ir::RegId r) const {
    return writes_[r] == 1 && uses_[r] > 0 && uses_[r] == wide_addends_[r];
  }

 private:
  std::vector<int> writes_;
  std::vector<const Instruction*> by_;
  std::vector<int> uses_, addresses_, wide_addends_;
};

class Translator {
 public:
  Translator(const ir::Function& f, int sm) : registers_(f), sm_(sm), words64_(sm < 20 ? 1.0f : 2.0f) {}

  Issues of(const Instruction& in) const {
    Issues out;
    if (in.op == Op::cvta || in.op == Op::cvta_to) return out;
    switch (in.form().pipe) {
      case Pipe::Int:
        integer(in, out);
        break;
      case Pipe::Fp32:
      case Pipe::Half:
        floating(in, out, Unit::Fp32, kDivisionSteps);
        break;
      case Pipe::Fp64:
        floating(in, out, Unit::Fp64, kDoubleDivisionSteps);
        break;
      case Pipe::Special:
        special(in, out);
        break;
      case Pipe::Convert:
        out[converts_float(in) ? Unit::Special : Unit::IntAlu] = 1;
        break;
      case Pipe::Move:
        move(in, out);
        break;
      case Pipe::Predicate:
        out[Unit::IntAlu] = width(in) == 64 ? words64_ : 1;
        break;
      case Pipe::Memory:
        if (ir::space_of(in) == ir::Space::Param) break;
        out[Unit::LoadStore] = 1;
        break;
      case Pipe::Atomic:
      case Pipe::Texture:
      case Pipe::Warp:
        out[Unit::LoadStore] = 1;
        break;
      case Pipe::Tensor:
        out[Unit::Tensor] = 1;
        break;
      case Pipe::Sync:
      case Pipe::Control:
        out[Unit::Other] = 1;
        break;
    }
    return out;
  }

 private:
  static bool converts_float(const Instruction& in) {
    for (size_t k = 0; k < in.operands.size() && k < in.form().operands.size(); ++k)
      if (isa::is_float(in.operand_type(k))) return true;
    return false;
  }

  void integer(const Instruction& in, Issues& out) const {
    if (in.type() == isa::Type::pred) return;
    const bool wide = width(in) == 64;
    const std::string& m = in.form().mnemonic;
    if (m == "div" || m == "rem") {
      out[Unit::IntAlu] = kIntegerDivisionSteps * (wide ? 4 : 1), out[Unit::Special] = 1;
    } else if (in.op == Op::mul_wide) {
      if (sm_ < 70 || !registers_.only_added(in.operands[0].reg)) out[Unit::IntMul] = 1;
    } else if (in.op == Op::mad_wide) {
      out[Unit::IntMul] = 1, out[Unit::IntAlu] = sm_ < 70 ? words64_ : 0;
    } else if (m == "mul" || m == "mad" || m == "mul24" || m == "mad24") {
      out[Unit::IntMul] = wide && sm_ >= 20 ? 3 : 1;
    } else if (m == "popc" || m == "clz" || m == "bfind" || m == "brev") {
      out[Unit::Special] = wide ? words64_ : 1;
    } else if (in.op == Op::add_int && constant_source(in, 2) &&
               registers_.only_address(in.operands[0].reg)) {
    } else if (in.op == Op::add_int && wide && sm_ >= 70 &&
               (registers_.product(in.operands[1]) || registers_.product(in.operands[2]))) {
      out[Unit::IntMul] = 1;
    } else {
      out[Unit::IntAlu] = wide ? words64_ : 1;
    }
  }

  void floating(const Instruction& in, Issues& out, Unit unit, float steps) const {
    const std::string& m = in.form().mnemonic;
    const bool program = m == "div" || m == "rcp" || m == "sqrt" || m == "rsqrt";
    out[unit] = program ? steps : 1;
    if (program) out[Unit::Special] = 1;
  }

  void special(const Instruction& in, Issues& out) const {
    out[Unit::Special] = 1;
    const std::string& m = in.form().mnemonic;
    const bool approximate = in.form().id.find("approx") != std::string_view::npos;
    if (!approximate && (m == "div" || m == "rcp" || m == "sqrt"))
      out[Unit::Fp32] = kDivisionSteps;
    else if (m == "div")
      out[Unit::Fp32] = 2;
  }

  /// Special registers are read; all else is an operand of what uses it.
  void move(const Instruction& in, Issues& out) const {
    if (in.op == Op::mov) {
      if (in.operands.size() > 1 && in.operands[1].kind == Operand::Kind::Special) out[Unit::Other] = 1;
    } else if (in.op != Op::mov_pack) {
      out[Unit::IntAlu] = 1;
    }
  }

  Registers registers_;
  int sm_;
  float words64_;
};

}  // namespace

float Issues::sum() const {
  float all = 0;
  for (float n : of) all += n;
  return all;
}

std::vector<bool> short_branches(const ir::Function& f) {
  const ir::Flow flow = ir::flow_of(f);
  std::vector<bool> out(f.blocks.size());
  for (ir::BlockId b = 1; b + 1 < f.blocks.size(); ++b) {
    const auto& before = f.blocks[b - 1].instructions;
    if (before.empty() || before.back().op != Op::bra || before.back().guard == ir::kNone) continue;
    if (before.back().operands[0].block != b + 1) continue;
    if (flow.predecessors[b] != std::vector<ir::BlockId>{b - 1}) continue;
    if (flow.successors[b] != std::vector<ir::BlockId>{b + 1}) continue;
    const auto& inside = f.blocks[b].instructions;
    if (inside.size() > kFewInstructions) continue;
    out[b] = std::none_of(inside.begin(), inside.end(), [](const Instruction& in) {
      return in.form().pipe == Pipe::Sync || in.form().pipe == Pipe::Control || in.call >= 0;
    });
  }
  return out;
}

MachineCode machine_code(const ir::Module& module, const ir::Function& f, int sm) {
  const Translator translator(f, sm);
  const auto shorts = short_branches(f);
  const Merges merges = merge_shared(module, f, sm);
  MachineCode out(f.blocks.size());
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b) {
    const auto& instructions = f.blocks[b].instructions;
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      out[b].push_back(translator.of(instructions[i]));
      const Merge* merge = merges.find({b, i});
      if (merge && merge->accesses.front() != InstructionRef{b, i}) out[b].back() = {};
    }
    if (b + 1 < f.blocks.size() && shorts[b + 1]) out[b].back() = {};
  }
  return out;
}

}  // namespace ww::ptxas
