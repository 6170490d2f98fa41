#include "rules/access_totals.h"

#include <cassert>
#include <utility>

#include "ir/accesses.h"

namespace ww::rules {

namespace {

constexpr u32 kAbsorbed = ~u32{0};

constexpr std::pair<CostSpace, ir::Space> kSpaces[] = {{CostSpace::Global, ir::Space::Global},
                                                       {CostSpace::Shared, ir::Space::Shared},
                                                       {CostSpace::Local, ir::Space::Local},
                                                       {CostSpace::Constant, ir::Space::Const}};

/// -1 for spaces that cost nothing.
int cost_space(ir::Space space) {
  for (const auto& [cost, of] : kSpaces)
    if (of == space) return static_cast<int>(cost);
  return -1;
}

}  // namespace

AccessKind access_kind(const ir::Instruction& in, ir::Space space) {
  for (const isa::MemoryEffect& effect : ir::effects_of(in).memory) {
    const ir::Space named = ir::space_of(isa::space_of(effect, in.form(), in.chosen));
    if (named == space || named == ir::Space::None || ir::effects_of(in).memory.size() == 1)
      return kind_of(effect.direction, effect.asynchronous);
  }
  return AccessKind::Load;
}

AccessTotals::AccessTotals(const engine::Program& program, Capability cc,
                           const std::vector<MergedAccess>& merged)
    : cc_(cc), wide_(program.infos.size()), costs_(1) {
  rows_.reserve(program.infos.size());
  for (const auto& info : program.infos) {
    auto& kinds = kinds_.emplace_back();
    for (const auto& [cost, space] : kSpaces)
      kinds[static_cast<size_t>(cost)] = access_kind(*info.instruction, space);
    const auto& effects = ir::effects_of(*info.instruction).memory;
    past_l1_.push_back(info.instruction->has(isa::Mod::cg));
    textures_.push_back(!effects.empty() && effects[0].path == isa::Path::Texture);
    rows_.push_back(effects.empty() ? 0 : static_cast<u32>(costs_.size()));
    if (!effects.empty()) costs_.emplace_back();
  }
  for (const MergedAccess& m : merged)
    for (size_t k = 0; k < m.instructions.size(); ++k)
      wide_[m.instructions[k]] = k == 0 ? m.bytes : kAbsorbed;
}

bool AccessTotals::issue(size_t i, Pattern& pattern, u32& alignment) const {
  if (pattern.space != ir::Space::Shared || wide_[i] == 0) return true;
  if (wide_[i] == kAbsorbed) return false;
  pattern.bytes = wide_[i];
  alignment -= alignment % wide_[i];
  return true;
}

Cost AccessTotals::cost_of(size_t i, const Pattern& pattern, u32 alignment) const {
  const int space = cost_space(pattern.space);
  if (space < 0) return {};
  const AccessKind kind = kinds_[i][static_cast<size_t>(space)];
  if (kind == AccessKind::Copy && pattern.from_mask != 0)
    return copy_cost(
        cc_, place({pattern.space, pattern.from_mask, pattern.bytes, pattern.from}, pattern.from_alignment),
        place(pattern, alignment), !past_l1_[i]);
  const bool atomic = kind == AccessKind::Atomic;
  return cost(cc_, pattern, alignment, kind != AccessKind::Load, atomic);
}

void AccessTotals::add(const AccessHistogram& h, u64 times) {
  for (size_t i = 0; i < h.by_instruction.size(); ++i) {
    assert(h.by_instruction[i].empty() || rows_[i] != 0);
    auto& costs = costs_[rows_[i]];
    for (const auto& entry : h.by_instruction[i]) {
      if (textures_[i]) {
        costs[static_cast<size_t>(CostSpace::Texture)] +=
            texture_cost(cc_, place(h.patterns[entry.pattern], entry.alignment)) * (entry.count * times);
        continue;
      }
      const Pattern& pattern = h.patterns[entry.pattern];
      const int space = cost_space(pattern.space);
      if (space < 0) continue;
      Cost& cost = costs[static_cast<size_t>(space)];
      if (wide_[i] == 0) {
        cost += cost_of(i, pattern, entry.alignment) * (entry.count * times);
        continue;
      }
      Pattern issued = pattern;
      u32 alignment = entry.alignment;
      if (issue(i, issued, alignment)) cost += cost_of(i, issued, alignment) * (entry.count * times);
    }
  }
}

void AccessTotals::add(const AccessTotals& more, u64 times) {
  for (size_t i = 0; i < costs_.size(); ++i)
    for (size_t s = 0; s < costs_[i].size(); ++s) costs_[i][s] += more.costs_[i][s] * times;
}

void AccessTotals::clear() {
  for (auto& c : costs_) c = {};
}

Cost AccessTotals::sum(CostSpace space, AccessKind kind) const {
  Cost all;
  for (size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i] != 0 && kinds_[i][static_cast<size_t>(space)] == kind) all += of(i, space);
  return all;
}

}  // namespace ww::rules
