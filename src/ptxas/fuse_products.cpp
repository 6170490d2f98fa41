#include "ptxas/fuse_products.h"

#include <fmt/format.h>

#include <utility>

#include "ptxas/products.h"

namespace ww::ptxas {

namespace {

using ir::Instruction;
using ir::Mod;
using ir::Op;
using ir::Operand;
using ir::RegId;
using ir::Slot;
using isa::Type;

bool is_register(const Operand& o) { return o.kind == Operand::Kind::Register; }

class Rewriting {
 public:
  Rewriting(ir::Function& f, ProductChoice choice) : function_(f), choice_(std::move(choice)) {}

  /// What stands in the place of each instruction that was read, in order.
  std::vector<std::vector<Instruction>> rewritten() {
    std::vector<std::vector<Instruction>> out(choice_.code.size());
    for (size_t k = 0; k < choice_.code.size(); ++k) out[k].push_back(*choice_.code[k]);
    for (Product& p : choice_.products)
      if (p.fused > 0) take_out(p, out);
    for (const Sum& s : choice_.sums)
      if (s.fused != kNobody) out[s.at] = fused(s);
    return out;
  }

 private:
  /// Removes the multiplication if all its uses are fused. Factors that change before are kept aside.
  void take_out(Product& p, std::vector<std::vector<Instruction>>& out) {
    const Instruction mul = *choice_.code[p.at];
    std::vector<Instruction>& place = out[p.at];
    if (p.others == 0 && p.sums.empty()) {
      place.clear();
      for (size_t copy : p.copies) out[copy].clear();
    }
    if (!p.overwritten) return;
    for (Operand& factor : p.factors)
      if (is_register(factor)) {
        const Operand kept = new_register(factor);
        place.insert(place.begin(), made(Op::mov, raw_type(mul.type()), mul, {kept, factor}));
        factor = kept;
      }
  }

  std::vector<Instruction> fused(const Sum& s) {
    const Instruction& sum = *choice_.code[s.at];
    const Held held = s.operands[s.fused];
    const Product& p = choice_.products[static_cast<size_t>(held.product)];
    const bool minus = sum.op == p.family->sub;
    std::vector<Instruction> out;
    auto negated = [&](Operand o) {
      const int bits = isa::bits(sum.type());
      if (o.kind == Operand::Kind::Immediate) {
        o.bits ^= uint64_t{1} << (bits - 1);
        return o;
      }
      const Operand to = new_register(o);
      out.push_back(made(p.family->neg, sum.type(), sum, {to, o}));
      return to;
    };
    Operand a = p.factors[0], b = p.factors[1], c = sum.operands[s.fused == 0 ? 2 : 1];
    if (held.negative != (minus && s.fused == 1)) (is_register(a) ? b : a) = negated(is_register(a) ? b : a);
    if (minus && s.fused == 0) c = negated(c);
    Instruction fma = made(p.family->fma, sum.type(), sum, {sum.operands[0], a, b, c});
    fma.guard = sum.guard, fma.guard_negated = sum.guard_negated;
    for (size_t k = 0; k < fma.chosen.size(); ++k) {
      const isa::SlotSpec& slot = fma.form().slots[k];
      if (slot.slot == Slot::rnd) fma.chosen[k] = Mod::rn;
      if (slot.slot == Slot::literal && sum.has(slot.allowed[0])) fma.chosen[k] = slot.allowed[0];
    }
    out.push_back(std::move(fma));
    return out;
  }

  /// With what the form demands, and nothing that is optional.
  static Instruction made(Op op, Type type, const Instruction& like, std::vector<Operand> operands) {
    Instruction in;
    in.op = op;
    in.place = like.place;
    in.operands = std::move(operands);
    for (const isa::SlotSpec& slot : in.form().slots)
      in.chosen.push_back(slot.slot == Slot::type ? isa::mod_of(type)
                          : slot.optional         ? Mod::none
                                                  : slot.allowed[0]);
    return in;
  }
  /// The type that `mov` has for it.
  static Type raw_type(Type type) {
    return isa::bits(type) == 16 ? Type::b16 : isa::bits(type) == 32 ? Type::b32 : Type::b64;
  }

  Operand new_register(Operand like) {
    ir::Register made = function_.registers[like.reg];
    made.name += fmt::format("_{}", function_.registers.size());
    like.reg = static_cast<RegId>(function_.registers.size());
    function_.registers.push_back(std::move(made));
    return like;
  }

  ir::Function& function_;
  ProductChoice choice_;
};

void fuse(ir::Function& function) {
  ProductChoice choice = choose_products(function);
  if (!choice.any) return;
  const auto parts = choice.parts;
  const auto rewritten = Rewriting(function, std::move(choice)).rewritten();
  size_t at = 0;
  for (const auto& blocks : parts)
    for (ir::BlockId b : blocks) {
      std::vector<Instruction> code;
      for (size_t k = function.blocks[b].instructions.size(); k > 0; --k, ++at)
        code.insert(code.end(), rewritten[at].begin(), rewritten[at].end());
      function.blocks[b].instructions = std::move(code);
    }
}

}  // namespace

void fuse_products(ir::Module& module) {
  if (module.debug) return;
  for (ir::Function& f : module.functions)
    if (f.defined) fuse(f);
}

}  // namespace ww::ptxas
