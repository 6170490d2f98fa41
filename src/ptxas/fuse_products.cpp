#include "ptxas/fuse_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/liveness.h"
#include "analysis/uses.h"
#include "ir/flow.h"

namespace ww::ptxas {

namespace {

using ir::Instruction;
using ir::Mod;
using ir::Op;
using ir::Operand;
using ir::RegId;
using ir::Slot;
using isa::Type;

/// The operations of one family of types.
struct Family {
  Op mul, add, sub, neg, fma;
};
constexpr Family kFamilies[] = {
    {Op::mul_f32, Op::add_f32, Op::sub_f32, Op::neg_f32, Op::fma_f32},
    {Op::mul_f64, Op::add_f64, Op::sub_f64, Op::neg_f64, Op::fma_f64},
    {Op::mul_f16, Op::add_f16, Op::sub_f16, Op::neg_f16, Op::fma_f16},
    {Op::mul_bf16, Op::add_bf16, Op::sub_bf16, Op::neg_bf16, Op::fma_bf16},
};

const Family* family_of_product(Op op) {
  for (const Family& f : kFamilies)
    if (op == f.mul) return &f;
  return nullptr;
}
const Family* family_of_sum(Op op) {
  for (const Family& f : kFamilies)
    if (op == f.add || op == f.sub) return &f;
  return nullptr;
}
bool rounding_is_open(const Instruction& in) { return in.mod(Slot::rnd) == Mod::none && !in.has(Mod::rn); }
bool is_register(const Operand& o) { return o.kind == Operand::Kind::Register; }

constexpr int kNobody = -1;

/// What a register holds: a product, perhaps negated on the way.
struct Held {
  int product = kNobody;
  bool negative = false;
};

/// An addition or subtraction of at least one product.
struct Sum {
  size_t at = 0;        ///< the instruction's place in the stretch
  Held operands[2];     ///< of a and b
  int fused = kNobody;  ///< the operand whose product is computed along
};

struct Product {
  size_t at = 0;
  const Family* family = nullptr;
  Operand factors[2];
  int uses = 0;                ///< all of them
  int others = 0;              ///< those that are no sums of the kind wanted
  std::vector<size_t> sums;    ///< not fused yet; indices, one for each use
  std::vector<size_t> copies;  ///< places of mov and neg of it
  int fused = 0;               ///< sums that are
  int part = 0;                ///< in which it is
  bool anywhere = false;       ///< also for sums in other parts
  bool overwritten = false;    ///< a factor changes before a sum of it
};

/// How often each register is written and read, and which have values from the constant bank.
struct RegisterUse {
  std::vector<int> writes, reads;
  std::vector<bool> constant;

  explicit RegisterUse(const ir::Function& f)
      : writes(f.registers.size()), reads(f.registers.size()), constant(analysis::constant_registers(f)) {
    for (const auto* list : {&f.params, &f.results})
      for (const ir::Param& p : *list)
        if (p.reg != ir::kNone) ++writes[p.reg], ++reads[p.reg];
    std::vector<RegId> loaded;
    for (const ir::Block& b : f.blocks)
      for (const Instruction& in : b.instructions) {
        analysis::each_definition(f, in, [&](RegId r) { ++writes[r]; });
        analysis::each_use(f, in, [&](RegId r) { ++reads[r]; });
        const bool fixed = in.op == Op::ld && ir::space_of(in) == ir::Space::Const && in.guard == ir::kNone &&
                           in.operands[1].reg == ir::kNone;
        if (fixed && is_register(in.operands[0])) loaded.push_back(in.operands[0].reg);
      }
    for (RegId r : loaded)
      if (writes[r] == 1) constant[r] = true;
  }
  bool written_once(const Operand& o) const { return !is_register(o) || writes[o.reg] == 1; }
  bool is_constant(const Operand& o) const {
    return o.kind == Operand::Kind::Immediate || (is_register(o) && constant[o.reg]);
  }
};

class Fusion {
 public:
  explicit Fusion(ir::Function& f)
      : function_(f), registers_(f), held_(f.registers.size()), written_(f.registers.size()) {}

  /// The blocks that are one for ptxas, in order; `live`: behind them.
  void read_blocks(const std::vector<ir::BlockId>& blocks, const analysis::RegisterSet& live) {
    const size_t begin = code_.size();
    for (ir::BlockId b : blocks)
      for (Instruction& in : function_.blocks[b].instructions) code_.push_back(&in);
    dead_.resize(code_.size());
    find_dead(begin, live);
    for (size_t k = begin; k < code_.size(); ++k)
      if (!dead_[k])
        read(k);
      else
        ignore(k);
    for (RegId r = 0; r < held_.size(); ++r) {
      if (held_[r].product == kNobody || (held_product(r).anywhere && registers_.writes[r] == 1)) continue;
      if (live.has(r)) use_otherwise(r);
      held_[r] = {};
    }
    ++part_;
  }

  /// Decides, when all blocks are read. Whether there is anything to do.
  bool choose() {
    for (Product& p : products_)
      if (p.anywhere) p.others += registers_.reads[code_[p.at]->operands[0].reg];
    bool any = false;
    for (Sum& s : sums_) any |= choose(s);
    return any;
  }

  /// What stands in the place of each instruction that was read, in order.
  std::vector<std::vector<Instruction>> rewritten() {
    std::vector<std::vector<Instruction>> out(code_.size());
    for (size_t k = 0; k < code_.size(); ++k) out[k].push_back(*code_[k]);
    for (Product& p : products_)
      if (p.fused > 0) take_out(p, out);
    for (const Sum& s : sums_)
      if (s.fused != kNobody) out[s.at] = fused(s);
    return out;
  }

 private:
  /// Backwards: what computes registers only, that nobody reads.
  void find_dead(size_t begin, analysis::RegisterSet live) {
    for (size_t k = code_.size(); k-- > begin;) {
      const Instruction& in = *code_[k];
      bool needed = false, defines = false;
      analysis::each_definition(function_, in, [&](RegId r) { defines = true, needed |= live.has(r); });
      if (only_computes(in) && defines && !needed) {
        dead_[k] = true;
        continue;
      }
      if (in.guard == ir::kNone) analysis::each_definition(function_, in, [&](RegId r) { live.remove(r); });
      analysis::each_use(function_, in, [&](RegId r) { live.add(r); });
    }
  }
  void ignore(size_t k) {
    analysis::each_definition(function_, *code_[k], [&](RegId r) { held_[r] = {}, written_[r] = k + 1; });
    analysis::each_use(function_, *code_[k], [&](RegId r) { --registers_.reads[r]; });
  }
  static bool only_computes(const Instruction& in) {
    using enum isa::Pipe;
    switch (in.form().pipe) {
      case Int:
      case Fp32:
      case Fp64:
      case Half:
      case Special:
      case Convert:
      case Move:
      case Predicate:
        return in.call < 0 && !ir::ends_block(in.op) && !analysis::sets_carry(in);
      default:
        return false;
    }
  }

  void read(size_t k) {
    const Instruction& in = *code_[k];
    if (in.call >= 0) ++part_;  // what comes behind it is another block
    analysis::each_use(function_, in, [&](RegId r) { --registers_.reads[r]; });
    if (const Held copied = copied_product(in); copied.product != kNobody) {
      products_[static_cast<size_t>(copied.product)].copies.push_back(k);
      define(k, copied);
      return;
    }
    const Family* sum = family_of_sum(in.op);
    if (!sum || !read_sum(k, *sum)) analysis::each_use(function_, in, [&](RegId r) { use_otherwise(r); });
    define(k, {});
    const Family* family = family_of_product(in.op);
    if (family && in.guard == ir::kNone && rounding_is_open(in) && !in.has(Mod::sat) &&
        (is_register(in.operands[1]) || is_register(in.operands[2]))) {
      held_[in.operands[0].reg] = {static_cast<int>(products_.size()), false};
      Product p;
      p.at = k, p.family = family, p.part = part_;
      p.factors[0] = in.operands[1], p.factors[1] = in.operands[2];
      p.anywhere = registers_.writes[in.operands[0].reg] == 1 &&
                   (registers_.is_constant(p.factors[0]) || registers_.is_constant(p.factors[1]));
      products_.push_back(std::move(p));
    }
  }

  /// The product that `mov` and `neg` hand on.
  Held copied_product(const Instruction& in) const {
    if (in.guard != ir::kNone || in.operands.size() != 2 || !is_register(in.operands[0]) ||
        !is_register(in.operands[1]))
      return {};
    Held held = held_[in.operands[1].reg];
    if (held.product == kNobody) return {};
    const Product& p = products_[static_cast<size_t>(held.product)];
    const Instruction& mul = *code_[p.at];
    if (in.op == p.family->neg && in.type() == mul.type() && in.has(Mod::ftz) == mul.has(Mod::ftz)) {
      held.negative = !held.negative;
      return held;
    }
    if (in.op != Op::mov || isa::bits(in.type()) != isa::bits(mul.type())) return {};
    return held;
  }

  /// Notes the uses of products by a sum; false if it is none that could be fused.
  bool read_sum(size_t k, const Family& family) {
    const Instruction& in = *code_[k];
    if (!rounding_is_open(in) || !is_register(in.operands[0])) return false;
    Sum sum;
    sum.at = k;
    bool any = false;
    for (int o : {0, 1}) {
      const Operand& operand = in.operands[static_cast<size_t>(o) + 1];
      if (!is_register(operand) || held_[operand.reg].product == kNobody) continue;
      const Held held = held_[operand.reg];
      Product& p = products_[static_cast<size_t>(held.product)];
      const Instruction& mul = *code_[p.at];
      ++p.uses;
      if (p.family != &family || (p.part != part_ && !p.anywhere) || mul.type() != in.type() ||
          mul.has(Mod::ftz) != in.has(Mod::ftz)) {
        ++p.others;
        continue;
      }
      for (const Operand& factor : p.factors)
        if (p.part == part_ ? is_register(factor) && written_[factor.reg] > p.at
                            : !registers_.written_once(factor))
          p.overwritten = true;
      p.sums.push_back(sums_.size());
      sum.operands[o] = held;
      any = true;
    }
    if (in.guard != ir::kNone) use_otherwise(in.guard);
    if (any) sums_.push_back(sum);
    return true;
  }

  Product& held_product(RegId r) { return products_[static_cast<size_t>(held_[r].product)]; }

  void use_otherwise(RegId r) {
    if (held_[r].product == kNobody) return;
    Product& p = held_product(r);
    ++p.uses, ++p.others;
  }

  /// A guarded write leaves the old value in some lanes, which is a use of it.
  void define(size_t k, Held held) {
    const Instruction& in = *code_[k];
    analysis::each_definition(function_, in, [&](RegId r) {
      if (in.guard != ir::kNone) use_otherwise(r);
      held_[r] = held;
      written_[r] = k + 1;
    });
  }

  bool may_be_fused(const Held& held) const {
    if (held.product == kNobody) return false;
    const Product& p = products_[static_cast<size_t>(held.product)];
    if (p.others > 0) return false;
    return std::none_of(p.sums.begin(), p.sums.end(), [&](size_t s) {
      const Sum& sum = sums_[s];
      const int a = sum.operands[0].product, b = sum.operands[1].product;
      if (sum.fused != kNobody || a == b) return true;
      const int other = a == held.product ? b : a;
      return p.uses > 1 && other != kNobody && products_[static_cast<size_t>(other)].uses == 1;
    });
  }

  bool choose(Sum& s) {
    const bool first = may_be_fused(s.operands[0]), second = may_be_fused(s.operands[1]);
    if (!first && !second) return false;
    s.fused = first ? 0 : 1;
    if (first && second && product(s, 1).uses < product(s, 0).uses) s.fused = 1;
    Product& p = product(s, s.fused);
    ++p.fused;
    std::erase(p.sums, static_cast<size_t>(&s - sums_.data()));
    return true;
  }
  Product& product(const Sum& s, int operand) {
    return products_[static_cast<size_t>(s.operands[operand].product)];
  }

  /// Removes the multiplication if all its uses are fused. Factors that change before are kept aside.
  void take_out(Product& p, std::vector<std::vector<Instruction>>& out) {
    const Instruction mul = *code_[p.at];
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
    const Instruction& sum = *code_[s.at];
    const Held held = s.operands[s.fused];
    const Product& p = products_[static_cast<size_t>(held.product)];
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
  RegisterUse registers_;  ///< reads: those that are still to come
  std::vector<Instruction*> code_;
  std::vector<bool> dead_;
  std::vector<Held> held_;       ///< [register]
  std::vector<size_t> written_;  ///< [register]: one more than the place where it was last; 0: nowhere
  int part_ = 0;                 ///< counts blocks of ptxas
  std::vector<Product> products_;
  std::vector<Sum> sums_;
};

bool may_leave(const Instruction& in) {
  return ir::ends_block(in.op) && in.op != Op::bra && in.op != Op::brx;
}

/// The blocks of a function, those together that are one for ptxas.
std::vector<std::vector<ir::BlockId>> ptxas_blocks(const ir::Function& f) {
  const ir::Flow flow = ir::flow_of(f);
  auto only_next = [&](ir::BlockId b) {
    const auto& code = f.blocks[b].instructions;
    if (flow.successors[b].size() != 1 || (!code.empty() && may_leave(code.back()))) return ir::kNone;
    const ir::BlockId next = flow.successors[b][0];
    return next != 0 && flow.predecessors[next].size() == 1 ? next : ir::kNone;
  };
  std::vector<bool> follows(f.blocks.size());
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b)
    if (const ir::BlockId next = only_next(b); next != ir::kNone) follows[next] = true;
  std::vector<std::vector<ir::BlockId>> out;
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b) {
    if (follows[b]) continue;
    out.emplace_back();
    for (ir::BlockId k = b; k != ir::kNone; k = only_next(k)) out.back().push_back(k);
  }
  return out;
}

bool has_products(const ir::Function& f) {
  for (const ir::Block& b : f.blocks)
    for (const Instruction& in : b.instructions)
      if (family_of_product(in.op) && rounding_is_open(in)) return true;
  return false;
}

}  // namespace

void fuse_products(ir::Function& function) {
  if (!has_products(function)) return;
  const analysis::Liveness liveness = analysis::liveness_of(function);
  const auto parts = ptxas_blocks(function);
  Fusion fusion(function);
  for (const auto& blocks : parts) fusion.read_blocks(blocks, liveness.out[blocks.back()]);
  if (!fusion.choose()) return;
  const auto rewritten = fusion.rewritten();
  size_t at = 0;
  for (const auto& blocks : parts)
    for (ir::BlockId b : blocks) {
      std::vector<Instruction> code;
      for (size_t k = function.blocks[b].instructions.size(); k > 0; --k, ++at)
        code.insert(code.end(), rewritten[at].begin(), rewritten[at].end());
      function.blocks[b].instructions = std::move(code);
    }
}

void fuse_products(ir::Module& module) {
  if (module.debug) return;
  for (ir::Function& f : module.functions)
    if (f.defined) fuse_products(f);
}

}  // namespace ww::ptxas
