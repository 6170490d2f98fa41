#include "ptxas/products.h"

#include <algorithm>
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

class Search {
 public:
  explicit Search(const ir::Function& f)
      : function_(f), registers_(f), held_(f.registers.size()), written_(f.registers.size()) {}

  /// The blocks that are one for ptxas, in order; `live`: behind them.
  void read_blocks(const std::vector<ir::BlockId>& blocks, const analysis::RegisterSet& live) {
    const size_t begin = choice_.code.size();
    for (ir::BlockId b : blocks)
      for (const Instruction& in : function_.blocks[b].instructions) choice_.code.push_back(&in);
    dead_.resize(choice_.code.size());
    find_dead(begin, live);
    for (size_t k = begin; k < choice_.code.size(); ++k)
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

  /// Decides, when all blocks are read.
  ProductChoice choose() {
    for (Product& p : choice_.products)
      if (p.anywhere) p.others += registers_.reads[choice_.code[p.at]->operands[0].reg];
    for (Sum& s : choice_.sums) choice_.any |= choose(s);
    return std::move(choice_);
  }

 private:
  /// Backwards: what computes registers only, that nobody reads.
  void find_dead(size_t begin, analysis::RegisterSet live) {
    for (size_t k = choice_.code.size(); k-- > begin;) {
      const Instruction& in = *choice_.code[k];
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
    analysis::each_definition(function_, *choice_.code[k],
                              [&](RegId r) { held_[r] = {}, written_[r] = k + 1; });
    analysis::each_use(function_, *choice_.code[k], [&](RegId r) { --registers_.reads[r]; });
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
    const Instruction& in = *choice_.code[k];
    if (in.call >= 0) ++part_;  // what comes behind it is another block
    analysis::each_use(function_, in, [&](RegId r) { --registers_.reads[r]; });
    if (const Held copied = copied_product(in); copied.product != kNobody) {
      choice_.products[static_cast<size_t>(copied.product)].copies.push_back(k);
      define(k, copied);
      return;
    }
    const Family* sum = family_of_sum(in.op);
    if (!sum || !read_sum(k, *sum)) analysis::each_use(function_, in, [&](RegId r) { use_otherwise(r); });
    define(k, {});
    const Family* family = family_of_product(in.op);
    if (family && in.guard == ir::kNone && rounding_is_open(in) && !in.has(Mod::sat) &&
        (is_register(in.operands[1]) || is_register(in.operands[2]))) {
      held_[in.operands[0].reg] = {static_cast<int>(choice_.products.size()), false};
      Product p;
      p.at = k, p.family = family, p.part = part_;
      p.factors[0] = in.operands[1], p.factors[1] = in.operands[2];
      p.anywhere = registers_.writes[in.operands[0].reg] == 1 &&
                   (registers_.is_constant(p.factors[0]) || registers_.is_constant(p.factors[1]));
      choice_.products.push_back(std::move(p));
    }
  }

  /// The product that `mov` and `neg` hand on.
  Held copied_product(const Instruction& in) const {
    if (in.guard != ir::kNone || in.operands.size() != 2 || !is_register(in.operands[0]) ||
        !is_register(in.operands[1]))
      return {};
    Held held = held_[in.operands[1].reg];
    if (held.product == kNobody) return {};
    const Product& p = choice_.products[static_cast<size_t>(held.product)];
    const Instruction& mul = *choice_.code[p.at];
    if (in.op == p.family->neg && in.type() == mul.type() && in.has(Mod::ftz) == mul.has(Mod::ftz)) {
      held.negative = !held.negative;
      return held;
    }
    if (in.op != Op::mov || isa::bits(in.type()) != isa::bits(mul.type())) return {};
    return held;
  }

  /// Notes the uses of products by a sum; false if it is none that could be fused.
  bool read_sum(size_t k, const Family& family) {
    const Instruction& in = *choice_.code[k];
    if (!rounding_is_open(in) || !is_register(in.operands[0])) return false;
    Sum sum;
    sum.at = k;
    bool any = false;
    for (int o : {0, 1}) {
      const Operand& operand = in.operands[static_cast<size_t>(o) + 1];
      if (!is_register(operand) || held_[operand.reg].product == kNobody) continue;
      const Held held = held_[operand.reg];
      Product& p = choice_.products[static_cast<size_t>(held.product)];
      const Instruction& mul = *choice_.code[p.at];
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
      p.sums.push_back(choice_.sums.size());
      sum.operands[o] = held;
      any = true;
    }
    if (in.guard != ir::kNone) use_otherwise(in.guard);
    if (any) choice_.sums.push_back(sum);
    return true;
  }

  Product& held_product(RegId r) { return choice_.products[static_cast<size_t>(held_[r].product)]; }

  void use_otherwise(RegId r) {
    if (held_[r].product == kNobody) return;
    Product& p = held_product(r);
    ++p.uses, ++p.others;
  }

  /// A guarded write leaves the old value in some lanes, which is a use of it.
  void define(size_t k, Held held) {
    const Instruction& in = *choice_.code[k];
    analysis::each_definition(function_, in, [&](RegId r) {
      if (in.guard != ir::kNone) use_otherwise(r);
      held_[r] = held;
      written_[r] = k + 1;
    });
  }

  bool may_be_fused(const Held& held) const {
    if (held.product == kNobody) return false;
    const Product& p = choice_.products[static_cast<size_t>(held.product)];
    if (p.others > 0) return false;
    return std::none_of(p.sums.begin(), p.sums.end(), [&](size_t s) {
      const Sum& sum = choice_.sums[s];
      const int a = sum.operands[0].product, b = sum.operands[1].product;
      if (sum.fused != kNobody || a == b) return true;
      const int other = a == held.product ? b : a;
      return p.uses > 1 && other != kNobody && choice_.products[static_cast<size_t>(other)].uses == 1;
    });
  }

  bool choose(Sum& s) {
    const bool first = may_be_fused(s.operands[0]), second = may_be_fused(s.operands[1]);
    if (!first && !second) return false;
    s.fused = first ? 0 : 1;
    if (first && second && product(s, 1).uses < product(s, 0).uses) s.fused = 1;
    Product& p = product(s, s.fused);
    ++p.fused;
    std::erase(p.sums, static_cast<size_t>(&s - choice_.sums.data()));
    return true;
  }
  Product& product(const Sum& s, int operand) {
    return choice_.products[static_cast<size_t>(s.operands[operand].product)];
  }

  const ir::Function& function_;
  RegisterUse registers_;  ///< reads: those that are still to come
  std::vector<bool> dead_;
  std::vector<Held> held_;       ///< [register]
  std::vector<size_t> written_;  ///< [register]: one more than the place where it was last; 0: nowhere
  int part_ = 0;                 ///< counts blocks of ptxas
  ProductChoice choice_;
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

ProductChoice choose_products(const ir::Function& f) {
  if (!has_products(f)) return {};
  const analysis::Liveness liveness = analysis::liveness_of(f);
  auto parts = ptxas_blocks(f);
  Search search(f);
  for (const auto& blocks : parts) search.read_blocks(blocks, liveness.out[blocks.back()]);
  ProductChoice choice = search.choose();
  choice.parts = std::move(parts);
  return choice;
}

}  // namespace ww::ptxas
