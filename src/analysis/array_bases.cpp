#include "analysis/array_bases.h"

#include <map>

#include "analysis/uses.h"

namespace ww::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using isa::Op;
using Kind = Operand::Kind;

// What a register holds besides the address of a base (its index plus numbers), from the least known to the
// most.
constexpr uint32_t kNumber = ir::kNone;     // no address of a variable, as far as is seen
constexpr uint32_t kFrame = ir::kNone - 1;  // of the depot of the local arrays itself
constexpr uint32_t kAnything = kFrame - 1;  // addresses of several, or made in ways that are not followed

class Bases {
 public:
  Bases(const ir::Module& module, const ir::Function& f) : module_(module), f_(f) {
    base_.assign(f.registers.size(), kNumber);
    for (ir::SymbolId s : f.variables)
      if (is_depot(s)) depot_ = s;
    for (const ir::Param& p : f.params)
      if (p.reg != ir::kNone) base_[p.reg] = kAnything;
    for (bool changed = true; changed;) {
      changed = false;
      for (const ir::Block& block : f.blocks)
        for (const Instruction& in : block.instructions) {
          const uint32_t made = result(in);
          if (made == kNumber) continue;
          each_definition(f, in, [&](ir::RegId r) {
            const uint32_t now = base_[r] == kNumber || base_[r] == made ? made : kAnything;
            changed |= now != base_[r];
            base_[r] = now;
          });
        }
    }
  }

  ArrayBases take() {
    // A register that also is set to a number somewhere is not certain.
    for (const ir::Block& block : f_.blocks)
      for (const Instruction& in : block.instructions)
        if (result(in) == kNumber) each_definition(f_, in, [&](ir::RegId r) { base_[r] = kAnything; });
    for (const ir::Block& block : f_.blocks)
      for (const Instruction& in : block.instructions)
        for (const Operand& o : in.operands)
          if (o.kind == Kind::Memory && o.reg == ir::kNone) (void)of(o);  // so that its base has an index
    for (uint32_t& b : base_)
      if (b == kFrame || b == kAnything) b = ir::kNone;
    ArrayBases all;
    all.of_register = std::move(base_);
    all.bases = std::move(list_);
    all.depot = depot_;
    return all;
  }

 private:
  bool is_depot(ir::SymbolId s) const {
    return !module_.is_function(s) && module_.variable(s).space == ir::Space::Local &&
           module_.symbols[s].name.starts_with("__local_depot");
  }
  uint32_t index(ir::SymbolId symbol, uint64_t offset) {
    const auto [at, fresh] = index_.try_emplace({symbol, offset}, static_cast<uint32_t>(list_.size()));
    if (fresh) list_.push_back({symbol, offset});
    return at->second;
  }
  uint32_t of(const Operand& o) {
    if (o.kind == Kind::Register) return base_[o.reg];
    if (o.symbol == ir::kNone || module_.is_function(o.symbol)) return kNumber;
    if (o.kind != Kind::Address && o.kind != Kind::Memory) return kNumber;
    if (is_depot(o.symbol)) return o.offset == 0 ? kFrame : kAnything;
    const ir::Space space = module_.variable(o.symbol).space;
    return space == ir::Space::Shared || space == ir::Space::Local || space == ir::Space::Const
               ? index(o.symbol, 0)
               : kNumber;
  }
  uint32_t sum(const Operand& a, const Operand& b) {
    const uint32_t x = of(a), y = of(b);
    if (x == kFrame || y == kFrame) {
      const Operand& distance = x == kFrame ? b : a;
      return distance.kind == Kind::Immediate ? index(depot_, distance.bits) : kAnything;
    }
    if (x == kNumber) return y;
    return y == kNumber ? x : kAnything;
  }
  /// A sum with a number that is in none of the operands that are an address.
  static uint32_t inside(uint32_t base) { return base == kFrame ? kAnything : base; }

  uint32_t result(const Instruction& in) {
    const auto& o = in.operands;
    switch (in.op) {
      case Op::mov:
      case Op::cvta:
      case Op::cvta_to:
      case Op::cvt_int:
        return of(o[1]);
      case Op::add_int:
        return sum(o[1], o[2]);
      case Op::sub_int:
        return of(o[2]) == kNumber ? inside(of(o[1])) : kAnything;
      case Op::mad_lo:
      case Op::mad_wide:
        return of(o[1]) == kNumber && of(o[2]) == kNumber ? inside(of(o[3])) : kAnything;
      case Op::selp:
        return of(o[1]) == of(o[2]) ? of(o[1]) : kAnything;
      default:
        break;
    }
    // Comparing or masking an address makes no other one; what else is made of it is not followed.
    uint32_t made = kNumber;
    if (in.form().kind != isa::RowKind::Lane) return made;
    for (size_t k = 0; k < o.size(); ++k)
      if (!in.form().operands[k].dest && of(o[k]) != kNumber) made = kAnything;
    return made;
  }

  const ir::Module& module_;
  const ir::Function& f_;
  ir::SymbolId depot_ = ir::kNone;
  std::vector<uint32_t> base_;
  std::vector<ArrayBase> list_;
  std::map<std::pair<ir::SymbolId, uint64_t>, uint32_t> index_;
};

}  // namespace

uint32_t ArrayBases::of(const ir::Operand& memory) const {
  if (memory.reg != ir::kNone) return of_register[memory.reg];
  if (memory.symbol == depot) return ir::kNone;
  for (uint32_t b = 0; b < bases.size(); ++b)
    if (bases[b].symbol == memory.symbol) return b;
  return ir::kNone;
}

ArrayBases array_bases(const ir::Module& module, const ir::Function& function) {
  return Bases(module, function).take();
}

}  // namespace ww::analysis
