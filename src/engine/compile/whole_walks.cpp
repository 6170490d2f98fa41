// Loads in loops of which each lane goes along a row of its own: what a round adds to their addresses.
#include <algorithm>
#include <map>
#include <optional>

#include "engine/compile/whole_live.h"
#include "engine/compile/whole_plan.h"

namespace ww::engine {

namespace {

using isa::Op;
using StepKind = CompileStep::Kind;

/// Instructions of a loop without another one in it.
struct WalkLoop {
  u32 begin = 0, end = 0;
};

std::vector<WalkLoop> innermost_loops(const WholePlan& plan) {
  const std::vector<Inst>& code = plan.function.code;
  std::vector<WalkLoop> all;
  for (u32 k = 0; k < code.size(); ++k)
    if (plan.steps[k].branches && code[k].aux->backward)
      all.push_back({static_cast<u32>(code[k].aux->target - code.data()), k});
  std::vector<WalkLoop> out;
  for (const WalkLoop& a : all)
    if (std::none_of(all.begin(), all.end(), [&](const WalkLoop& b) {
          return b.begin >= a.begin && b.end <= a.end && b.end - b.begin < a.end - a.begin;
        }))
      out.push_back(a);
  return out;
}

/// What one round of a loop adds to registers.
class Rounds {
 public:
  Rounds(const WholePlan& plan, const std::vector<WholeSlot>& slots, WalkLoop loop) : plan_(plan) {
    const auto count = static_cast<u32>(slots.size());
    for (u32 k = loop.begin; k <= loop.end; ++k)
      for (u32 slot : effects_of(code(k), plan.steps[k], plan.operands.data(), slots.data(), count).changed) {
        auto& [writer, writers] = writers_[slots[slot].offset];
        writer = k;
        ++writers;
      }
  }

  /// Nothing: it is not the same in each round, as far as this sees.
  std::optional<int64_t> added(u32 offset, int depth = 8) const {
    const auto found = writers_.find(offset);
    if (found == writers_.end()) return 0;  // constants, and what comes from before the loop
    const auto [k, writers] = found->second;
    if (writers != 1 || depth == 0 || code(k).guarded) return {};
    const Inst& i = code(k);
    if (plan_.steps[k].kind == StepKind::Sum) return added_to_sum(i, depth);
    const ir::Instruction* in = plan_.instruction(i);
    if (plan_.steps[k].kind != StepKind::Row || !in || i.dst2_used) return {};
    const auto of = [&](int operand) { return added(i.src[operand], depth - 1); };
    switch (in->op) {
      case Op::add_int:
        for (int self = 0; self < 2; ++self)
          if (i.src[self] == i.dst) return constant(i.src[1 - self], i.dst_bytes);
        return sum(of(0), of(1));
      case Op::or_:
        return sum(of(0), of(1));
      case Op::mov:
      case Op::cvta:
      case Op::cvta_to:
      case Op::cvt_int:
        return of(0);
      case Op::mul_lo:
      case Op::mul_wide:
        return times(of(0), of(1), i);
      case Op::mad_lo:
      case Op::mad_wide:
        return sum(times(of(0), of(1), i), of(2));
      case Op::shl:
        if (const auto by = constant(i.src[1], 4), a = of(0); by && a && *by < 16) return *a << *by;
        return {};
      default:
        return {};
    }
  }

 private:
  const Inst& code(u32 k) const { return plan_.function.code[k]; }

  std::optional<int64_t> constant(u32 offset, int bytes) const {
    int64_t v = 0;
    if (!plan_.constant(offset, bytes, true, v) || v > kMost || v < -kMost) return {};
    return v;
  }
  static std::optional<int64_t> sum(std::optional<int64_t> a, std::optional<int64_t> b) {
    if (!a || !b) return {};
    return *a + *b;
  }
  std::optional<int64_t> times(std::optional<int64_t> a, std::optional<int64_t> b, const Inst& i) const {
    if (!a || !b || *b != 0) return {};
    if (*a == 0) return 0;
    const auto factor = constant(i.src[1], 4);
    if (!factor || *a > kMost || *a < -kMost) return {};
    return *a * *factor;
  }
  std::optional<int64_t> added_to_sum(const Inst& i, int depth) const {
    const AddressSum& terms = WholePlan::sum_of(i);
    const auto index = added(i.src[1], depth - 1);
    if (!index || *index > kMost || *index < -kMost) return {};
    int64_t all = *index * terms.scale;
    for (u32 n = 0; n < terms.count; ++n) {
      const auto base = added(terms.bases[n], depth - 1);
      if (!base) return {};
      all += *base;
    }
    return all;
  }

  static constexpr int64_t kMost = 1 << 16;
  const WholePlan& plan_;
  std::map<u32, std::pair<u32, u32>> writers_;  ///< by slot: the last one of the loop, and how many
};

}  // namespace

void find_walks(WholePlan& plan, const std::vector<WholeSlot>& slots) {
  for (const WalkLoop& loop : innermost_loops(plan)) {
    const Rounds rounds(plan, slots, loop);
    for (u32 k = loop.begin; k < loop.end; ++k) {
      const Inst& i = plan.function.code[k];
      CompileStep& s = plan.steps[k];
      if (s.kind != StepKind::Access || s.ordered || s.local || i.guarded || s.two_pieces) continue;
      const AccessKey& key = i.aux->access;
      if (key.kind != AccessKey::Kind::Load || key.elements != 1 || (key.bytes != 4 && key.bytes != 8) ||
          (key.where != AccessKey::Where::Global && key.where != AccessKey::Where::Generic))
        continue;
      const auto added = rounds.added(i.src[0]);
      s.walks = added && *added > 0 && *added <= kMostOfWalk;
    }
  }
}

}  // namespace ww::engine
