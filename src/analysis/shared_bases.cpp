#include "analysis/shared_bases.h"

#include "analysis/uses.h"

namespace ww::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using isa::Op;
using Kind = Operand::Kind;

/// What a register holds, from the least known to the most.
constexpr ir::SymbolId kNumber = ir::kNone;  // no address of a variable, as far as is seen
constexpr ir::SymbolId kAnything =
    ir::kNone - 1;  // addresses of several, or made in ways that are not followed

class Bases {
 public:
  Bases(const ir::Module& module, const ir::Function& f) : module_(module), f_(f) {
    base_.assign(f.registers.size(), kNumber);
    for (const ir::Param& p : f.params)
      if (p.reg != ir::kNone) base_[p.reg] = kAnything;
    for (bool changed = true; changed;) {
      changed = false;
      for (const ir::Block& block : f.blocks)
        for (const Instruction& in : block.instructions) {
          const ir::SymbolId made = result(in);
          if (made == kNumber) continue;
          each_definition(f, in, [&](ir::RegId r) {
            const ir::SymbolId now = base_[r] == kNumber || base_[r] == made ? made : kAnything;
            changed |= now != base_[r];
            base_[r] = now;
          });
        }
    }
  }

  std::vector<ir::SymbolId> take() {
    for (ir::SymbolId& s : base_)
      if (s == kAnything) s = ir::kNone;
    // A register that also is set to a number somewhere is not certain.
    for (const ir::Block& block : f_.blocks)
      for (const Instruction& in : block.instructions)
        if (result(in) == kNumber) each_definition(f_, in, [&](ir::RegId r) { base_[r] = ir::kNone; });
    return std::move(base_);
  }

 private:
  bool shared(ir::SymbolId s) const {
    return !module_.is_function(s) && module_.variable(s).space == ir::Space::Shared;
  }
  ir::SymbolId of(const Operand& o) const {
    if (o.kind == Kind::Register) return base_[o.reg];
    if (o.kind == Kind::Address) return shared(o.symbol) ? o.symbol : kNumber;
    return kNumber;
  }
  static ir::SymbolId sum(ir::SymbolId a, ir::SymbolId b) {
    if (a == kNumber) return b;
    return b == kNumber ? a : kAnything;
  }

  ir::SymbolId result(const Instruction& in) const {
    const auto& o = in.operands;
    switch (in.op) {
      case Op::mov:
      case Op::cvta:
      case Op::cvta_to:
      case Op::cvt_int:
        return of(o[1]);
      case Op::add_int:
        return sum(of(o[1]), of(o[2]));
      case Op::sub_int:
        return of(o[2]) == kNumber ? of(o[1]) : kAnything;
      case Op::mad_lo:
      case Op::mad_wide:
        return of(o[1]) == kNumber && of(o[2]) == kNumber ? of(o[3]) : kAnything;
      case Op::selp:
        return of(o[1]) == of(o[2]) ? of(o[1]) : kAnything;
      default:
        break;
    }
    // Comparing or masking an address makes no other one; what else is made of it is not followed.
    ir::SymbolId made = kNumber;
    if (in.form().kind != isa::RowKind::Lane) return made;
    for (size_t k = 0; k < o.size(); ++k)
      if (!in.form().operands[k].dest && of(o[k]) != kNumber) made = kAnything;
    return made;
  }

  const ir::Module& module_;
  const ir::Function& f_;
  std::vector<ir::SymbolId> base_;
};

}  // namespace

std::vector<ir::SymbolId> shared_bases(const ir::Module& module, const ir::Function& function) {
  return Bases(module, function).take();
}

}  // namespace ww::analysis
