#include "analysis/local_pointers.h"

#include <algorithm>

#include "analysis/uses.h"
#include "ir/accesses.h"

namespace ww::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using isa::Op;

class Pointers {
 public:
  explicit Pointers(const ir::Function& f) : f_(f), some_(f.registers.size()) {}

  std::vector<bool> find() {
    // First what is made from such an address at all, so that a sum tells the address from the distance.
    grow([&](const Instruction& in) { return is_source(in) || any(in); });
    if (std::find(some_.begin(), some_.end(), true) == some_.end()) return some_;
    all_ = some_;
    for (const ir::Param& p : f_.params)
      if (p.reg != ir::kNone) all_[p.reg] = false;
    while (shrink()) continue;
    return all_;
  }

 private:
  static bool is_source(const Instruction& in) {
    return in.op == Op::cvta && ir::space_of(in) == ir::Space::Local;
  }
  static bool is(const std::vector<bool>& of, const Operand& o) {
    return o.kind == Operand::Kind::Register && of[o.reg];
  }

  /// The operands of which one is the address, or each may be (a selection); the number of those.
  static std::pair<const Operand*, size_t> addresses(const Instruction& in) {
    const Operand* o = in.operands.data();
    switch (in.op) {
      case Op::mov:
      case Op::sub_int:
      case Op::and_:
        return {o + 1, 1};
      case Op::add_int:
      case Op::or_:
      case Op::selp:
        return {o + 1, 2};
      case Op::mad_lo:
      case Op::mad_wide:
        return {o + 3, 1};
      default:
        return {o, 0};
    }
  }
  bool any(const Instruction& in) const {
    const auto [first, count] = addresses(in);
    return std::any_of(first, first + count, [&](const Operand& o) { return is(some_, o); });
  }
  bool all(const Instruction& in) const {
    if (is_source(in)) return true;
    const auto [first, count] = addresses(in);
    if (in.op == Op::selp) return is(all_, first[0]) && is(all_, first[1]);
    // Two addresses make no third one.
    return std::count_if(first, first + count, [&](const Operand& o) { return is(some_, o); }) == 1 &&
           std::any_of(first, first + count, [&](const Operand& o) { return is(all_, o); });
  }

  template <class Made>
  void grow(Made made) {
    for (bool changed = true; changed;) {
      changed = false;
      each([&](const Instruction& in, ir::RegId r) {
        if (some_[r] || !made(in)) return;
        some_[r] = changed = true;
      });
    }
  }
  bool shrink() {
    bool changed = false;
    each([&](const Instruction& in, ir::RegId r) {
      if (!all_[r] || all(in)) return;
      all_[r] = false;
      changed = true;
    });
    return changed;
  }
  template <class Visit>
  void each(Visit visit) const {
    for (const ir::Block& block : f_.blocks)
      for (const Instruction& in : block.instructions)
        each_definition(f_, in, [&](ir::RegId r) { visit(in, r); });
  }

  const ir::Function& f_;
  std::vector<bool> some_, all_;
};

}  // namespace

std::vector<bool> local_pointers(const ir::Function& function) { return Pointers(function).find(); }

}  // namespace ww::analysis
