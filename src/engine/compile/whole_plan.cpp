#include "engine/compile/whole_plan.h"

#include <cstring>

#include "engine/compile/whole_live.h"

namespace ww::engine {

using isa::Op;

namespace {

/// Branches whose lanes may part, and what may be different in them when they meet again, or when those begin
/// that go on later.
void find_uneven(WholePlan& plan, std::set<u32>& uneven) {
  const FunctionCode& f = plan.function;
  for (const ir::Block& b : f.function->blocks)
    for (const ir::Instruction& in : b.instructions)
      if (carries_flag(in)) return;
  std::vector<WholeSlot> slots;
  for (const auto& [offset, s] : plan.slots) slots.push_back(s);
  const auto count = static_cast<u32>(slots.size()), length = static_cast<u32>(f.code.size());
  const u32* operands = plan.operands.data();
  const auto live = live_slots(f.code.data(), plan.steps.data(), length, operands, slots.data(), count);
  for (u32 k = 0; k + 1 < length; ++k) {
    const Inst& i = f.code[k];
    if (plan.steps[k].kind != CompileStep::Kind::Branch || !i.guarded || !i.aux->join ||
        i.aux->target == &i + 1)
      continue;
    const auto guard = plan.slots.find(i.guard);
    if (guard == plan.slots.end() || !plan.known.contains(i.guard) ||
        guard->second.lanes == WholeSlot::Lanes::Any)
      plan.steps[k].join = static_cast<u32>(i.aux->join - f.code.data());
  }
  for (const Parting& p : find_partings(f.code.data(), plan.steps.data(), length))
    for (u32 n : p.between)
      for (u32 slot : effects_of(f.code[n], plan.steps[n], operands, slots.data(), count).changed)
        if (live[p.join][slot] || live[p.other][slot]) uneven.insert(slots[slot].offset);
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
  if (function.id != 0 || !function.unwritten.empty() || function.shadow || function.code.empty())
    return false;
  image = function.image;
  image.resize(function.frame_bytes - kFrameStart);
  WholePlan plan{program, function, lanes, steps, image, {}, {}, {}};
  find_kinds(plan);
  if (steps[0].kind == CompileStep::Kind::Other || !find_slots(plan)) return false;
  const std::map<u32, WholeSlot> slots_at_first = plan.slots;
  const std::set<u32> known_at_first = plan.known;
  find_patterns(plan);
  find_extensions(plan);
  find_collectives(plan);
  for (const auto& [offset, s] : plan.slots) {
    slots.push_back(s);
    if (!plan.known.contains(offset)) slots.back().lanes = Lanes::Any;
    if (slots.back().lanes == Lanes::Any) slots.back().stride = 0;
  }
  // And once more for lanes that have parted: what some of them write has no pattern for those that wait.
  std::set<u32> uneven;
  for (size_t before = ~size_t(0); before != uneven.size();) {
    before = uneven.size();
    plan.slots = slots_at_first, plan.known = known_at_first;
    for (u32 offset : uneven) plan.no_pattern(offset);
    find_patterns(plan);
    find_uneven(plan, uneven);
  }
  for (WholeSlot& s : slots) {
    const WholeSlot& parted = plan.slots.at(s.offset);
    s.uneven = !plan.known.contains(s.offset) || parted.lanes != s.lanes || parted.stride != s.stride;
  }
  find_nans(plan, slots);
  operands = std::move(plan.operands);
  return true;
}

}  // namespace ww::engine
