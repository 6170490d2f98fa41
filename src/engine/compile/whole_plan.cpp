#include "engine/compile/whole_plan.h"

#include <algorithm>
#include <cstring>

#include "engine/compile/whole_live.h"

namespace ww::engine {

using isa::Op;

namespace {

/// Slots that lanes change which have parted, and that are read where they meet or where the others begin.
template <class Each>
void each_parted_slot(const WholePlan& plan, Each each) {
  const FunctionCode& f = plan.function;
  std::vector<WholeSlot> slots;
  for (const auto& [offset, s] : plan.slots) slots.push_back(s);
  const auto count = static_cast<u32>(slots.size()), length = static_cast<u32>(f.code.size());
  const u32* operands = plan.operands.data();
  const std::vector<Parting> partings = find_partings(f.code.data(), plan.steps.data(), length);
  if (partings.empty()) return;
  const LiveSlots live(f.code.data(), plan.steps.data(), length, operands, slots.data(), count);
  for (const Parting& p : partings)
    for (u32 n : p.between)
      for (u32 slot : effects_of(f.code[n], plan.steps[n], operands, slots.data(), count).changed)
        if (live[p.join][slot] || live[p.other][slot]) each(p, slots[slot]);
}

bool has_no_pattern(const WholePlan& plan, u32 offset) {
  const auto slot = plan.slots.find(offset);
  return slot == plan.slots.end() || !plan.known.contains(offset) ||
         slot->second.lanes == WholeSlot::Lanes::Any;
}

/// Whether lanes are likely to part because of what is read there, as far as what was written last before
/// shows it: it follows from numbers that were loaded, from arithmetic that is none with indices, or from low
/// bits of a row (`low`). The others compare rows with what is the same in all lanes, or count the rounds of
/// a loop over a row.
bool parts_lanes(const WholePlan& plan, u32 offset, const std::vector<Inst>& code, size_t at, int depth = 8,
                 bool low = false) {
  while (at > 0 && code[at - 1].dst != offset) --at;
  const std::vector<Inst>& once = plan.function.once;
  if (at == 0) return &code == &once ? low : parts_lanes(plan, offset, once, once.size(), depth, low);
  const Inst& i = code[at - 1];
  const ir::Instruction* in = plan.instruction(i);
  if (!in || depth == 0 || !is_index_arithmetic(in->op)) return true;
  constexpr int64_t kLaneBits = 5;
  int64_t v = 0;
  const bool by_constant = plan.constant(i.src[1], 4, false, v);
  if (in->op == Op::and_ && by_constant && v < (1 << kLaneBits) - 1) low = true;
  if (in->op == Op::shr && by_constant && v >= kLaneBits) low = false;
  return std::any_of(std::begin(i.src), std::end(i.src), [&](u32 s) {
    if (s < kFrameStart) return false;
    if (has_no_pattern(plan, s)) return parts_lanes(plan, s, code, at - 1, depth - 1, low);
    return low && plan.slots.at(s).lanes != WholeSlot::Lanes::Same;
  });
}

/// Branches whose lanes may part.
void find_joins(WholePlan& plan) {
  const FunctionCode& f = plan.function;
  for (size_t k = 0; k + 1 < f.code.size(); ++k) {
    const Inst& i = f.code[k];
    if (plan.steps[k].kind != CompileStep::Kind::Branch || !i.guarded || !i.aux->join ||
        i.aux->target == &i + 1)
      continue;
    const auto guard = plan.slots.find(i.guard);
    if (guard == plan.slots.end() || !plan.known.contains(i.guard) ||
        guard->second.lanes == WholeSlot::Lanes::Any)
      plan.steps[k].join = static_cast<u32>(i.aux->join - f.code.data());
  }
}

/// The slots that may be different in lanes that have parted when they meet again, or when those begin that
/// go on later.
void find_uneven(WholePlan& plan, std::set<u32>& uneven) {
  find_joins(plan);
  each_parted_slot(plan, [&](const Parting&, const WholeSlot& s) { uneven.insert(s.offset); });
}

/// Of those, the ones that have a pattern and lose it: lanes part there because of what they have loaded or
/// computed, not because a row of them ends.
void find_lost(WholePlan& plan, std::set<u32>& lost) {
  find_joins(plan);
  each_parted_slot(plan, [&](const Parting& p, const WholeSlot& s) {
    if (parts_lanes(plan, plan.function.code[p.branch].guard, plan.function.code, p.branch))
      lost.insert(s.offset);
  });
}

/// Finds the patterns of all slots, but of those that `find` then says have none.
template <class Find>
void find_patterns_without(WholePlan& plan, std::set<u32> without, Find find) {
  const std::map<u32, WholeSlot> slots_at_first = plan.slots;
  const std::set<u32> known_at_first = plan.known;
  for (size_t before = ~size_t(0); before != without.size();) {
    before = without.size();
    plan.slots = slots_at_first, plan.known = known_at_first;
    for (u32 offset : without) plan.no_pattern(offset);
    find_patterns(plan);
    find(plan, without);
  }
}

}  // namespace

bool WholePlan::is_access(const Inst& i, AccessKey::Kind kind) const {
  const ir::Instruction* in = instruction(i);
  return i.aux && in && i.src[2] != 0 && i.aux->access.kind == kind && !is_sum(i) &&
         (in->op == Op::ld || in->op == Op::ld_nc || in->op == Op::ldu || in->op == Op::st);
}

bool WholePlan::constant(u32 offset, int bytes, bool is_signed, int64_t& v) const {
  auto it = slots.find(offset);
  if (it == slots.end() || it->second.from != WholeSlot::From::Constant) return false;
  u64 bits = 0;
  std::memcpy(&bits, image.data() + (offset - kFrameStart), static_cast<size_t>(bytes));
  if (bytes == 4) bits = is_signed ? static_cast<u64>(int64_t{static_cast<int32_t>(bits)}) : bits & ~u32(0);
  v = static_cast<int64_t>(bits);
  return true;
}

bool plan_whole(const Program& program, const FunctionCode& function, const LaneCode& lanes,
                std::vector<CompileStep>& steps, std::vector<WholeSlot>& slots, std::vector<u32>& operands,
                std::vector<u8>& image) {
  using Lanes = WholeSlot::Lanes;
  if (function.id != 0 || (function.shadow && !program.asks) || function.code.empty()) return false;
  image = function.image;
  image.resize(function.frame_bytes - kFrameStart);
  WholePlan plan{program, function, lanes, steps, image, {}, {}, {}};
  find_kinds(plan);
  if (steps[0].kind == CompileStep::Kind::Other || !find_slots(plan)) return false;
  const std::map<u32, WholeSlot> slots_at_first = plan.slots;
  const std::set<u32> known_at_first = plan.known;
  find_patterns_without(plan, {}, find_lost);
  find_extensions(plan);
  find_collectives(plan);
  for (const auto& [offset, s] : plan.slots) {
    slots.push_back(s);
    if (!plan.known.contains(offset)) slots.back().lanes = Lanes::Any;
    if (slots.back().lanes == Lanes::Any) slots.back().stride = 0;
  }
  // And once more for lanes that have parted: what some of them write has no pattern for those that wait.
  plan.slots = slots_at_first, plan.known = known_at_first;
  find_patterns_without(plan, {}, find_uneven);
  for (WholeSlot& s : slots) {
    const WholeSlot& parted = plan.slots.at(s.offset);
    s.uneven = !plan.known.contains(s.offset) || parted.lanes != s.lanes || parted.stride != s.stride;
  }
  find_nans(plan, slots);
  find_walks(plan, slots);
  operands = std::move(plan.operands);
  return true;
}

}  // namespace ww::engine
