#include "analysis/kept_differences.h"

#include <vector>

#include "analysis/uses.h"

namespace ww::analysis {

namespace {

using ir::Op;

constexpr int kDepth = 4;  // instructions that are looked back for what an operand is made from

class Differences {
 public:
  explicit Differences(const ir::Function& f)
      : f_(f), made_by_(f.registers.size()), used_by_(f.registers.size()) {
    each([&](const ir::Instruction& in) {
      each_definition(f_, in, [&](ir::RegId r) { made_by_[r].push_back(&in); });
      each_use(f_, in, [&](ir::RegId r) { used_by_[r].push_back(&in); });
    });
  }

  std::unordered_set<const ir::Instruction*> run() {
    std::unordered_set<const ir::Instruction*> found;
    each([&](const ir::Instruction& in) {
      if (adds(in.op) && of_variables(in) && matters(in)) found.insert(&in);
    });
    return found;
  }

 private:
  template <class F>
  void each(const F& visit) {
    for (const ir::Block& b : f_.blocks)
      for (const ir::Instruction& in : b.instructions) visit(in);
  }

  static bool adds(Op op) {
    switch (op) {
      case Op::add_f32:
      case Op::add_f64:
      case Op::sub_f32:
      case Op::sub_f64:
      case Op::fma_f32:
      case Op::fma_f64:
        return true;
      default:
        return false;
    }
  }

  bool of_variables(const ir::Instruction& in) const {
    for (size_t k = 0; k < in.operands.size(); ++k)
      if (in.operands[k].kind != ir::Operand::Kind::Register) return false;
    // Of a fused product its factors are one side, however they hang together (-x · x).
    const ir::RegId added = without_sign(in.operands.back().reg);
    if (is_constant(added, kDepth)) return false;  // its last bits are no rounding's
    for (size_t k = 1; k + 1 < in.operands.size(); ++k) {
      const ir::RegId other = without_sign(in.operands[k].reg);
      if (made_from(added, other, kDepth) || made_from(other, added, kDepth)) return false;
      if (in.operands.size() == 3 && is_constant(other, kDepth)) return false;
    }
    return true;
  }

  /// The register of which it is the negative, if it is one's.
  ir::RegId without_sign(ir::RegId r) const {
    const auto& made = made_by_[r];
    const bool negative = made.size() == 1 && made[0]->form().mnemonic == std::string_view("neg") &&
                          made[0]->operands[1].kind == ir::Operand::Kind::Register;
    return negative ? made[0]->operands[1].reg : r;
  }

  /// Whether it is made of numbers in the code alone.
  bool is_constant(ir::RegId r, int depth) const {
    if (depth == 0 || made_by_[r].empty()) return false;
    for (const ir::Instruction* in : made_by_[r]) {
      if (in->form().kind != isa::RowKind::Lane && in->op != Op::mov_pack) return false;
      using Kind = ir::Operand::Kind;
      for (size_t k = 1; k < in->operands.size(); ++k)
        if (in->operands[k].kind != Kind::Immediate && in->operands[k].kind != Kind::Register &&
            in->operands[k].kind != Kind::Vector)
          return false;
      bool all = true;
      each_use(f_, *in, [&](ir::RegId used) { all &= used != r && is_constant(used, depth - 1); });
      if (!all) return false;
    }
    return true;
  }

  bool made_from(ir::RegId what, ir::RegId from, int depth) const {
    if (what == from) return depth < kDepth;  // x + x, x · x are no such thing
    if (depth == 0) return false;
    for (const ir::Instruction* in : made_by_[what]) {
      bool found = false;
      if (in->form().kind == isa::RowKind::Lane)
        each_use(f_, *in, [&](ir::RegId r) { found |= r != what && made_from(r, from, depth - 1); });
      if (found) return true;
    }
    return false;
  }

  /// Whether something else than its size is used.
  bool matters(const ir::Instruction& difference) const {
    std::vector<ir::RegId> open = {difference.operands[0].reg};
    std::unordered_set<ir::RegId> seen(open.begin(), open.end());
    while (!open.empty()) {
      const ir::RegId r = open.back();
      open.pop_back();
      for (const ir::Instruction* in : used_by_[r]) {
        const std::string_view name = in->form().mnemonic;
        if (name == "setp" || name == "set" || name == "testp") continue;
        if (name != "abs" && name != "neg" && name != "max" && name != "min") return true;
        const ir::RegId to = in->operands[0].reg;
        if (name == "abs") continue;  // its size
        if (seen.insert(to).second) open.push_back(to);
      }
    }
    return false;
  }

  const ir::Function& f_;
  std::vector<std::vector<const ir::Instruction*>> made_by_, used_by_;
};

}  // namespace

std::unordered_set<const ir::Instruction*> kept_differences(const ir::Function& function) {
  return Differences(function).run();
}

}  // namespace ww::analysis
