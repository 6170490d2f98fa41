#include "counters/access_totals.h"

namespace ww::counters {

namespace {

constexpr u32 kAbsorbed = ~u32{0};

/// -1 for spaces that cost nothing.
int cost_space(ir::Space space) {
  switch (space) {
    case ir::Space::Global:
      return static_cast<int>(CostSpace::Global);
    case ir::Space::Shared:
      return static_cast<int>(CostSpace::Shared);
    case ir::Space::Local:
      return static_cast<int>(CostSpace::Local);
    case ir::Space::Const:
      return static_cast<int>(CostSpace::Constant);
    default:
      return -1;
  }
}

}  // namespace

AccessKind access_kind(const ir::Instruction& in) {
  if (in.form().pipe == isa::Pipe::Atomic) return AccessKind::Atomic;
  return in.op == isa::Op::st ? AccessKind::Store : AccessKind::Load;
}

AccessTotals::AccessTotals(const engine::Program& program, Capability cc,
                           const std::vector<MergedAccess>& merged)
    : cc_(cc), wide_(program.infos.size()), costs_(program.infos.size()) {
  for (const auto& info : program.infos) {
    kinds_.push_back(access_kind(*info.instruction));
    textures_.push_back(info.instruction->form().pipe == isa::Pipe::Texture);
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
  if (cost_space(pattern.space) < 0) return {};
  const bool atomic = kinds_[i] == AccessKind::Atomic;
  return cost(cc_, pattern, alignment, atomic || kinds_[i] == AccessKind::Store, atomic);
}

void AccessTotals::add(const AccessHistogram& h, u64 times) {
  for (size_t i = 0; i < h.by_instruction.size(); ++i) {
    for (const auto& entry : h.by_instruction[i]) {
      if (textures_[i]) {
        costs_[i][static_cast<size_t>(CostSpace::Texture)] +=
            texture_cost(cc_, place(h.patterns[entry.pattern], entry.alignment)) * (entry.count * times);
        continue;
      }
      const int space = cost_space(h.patterns[entry.pattern].space);
      if (space < 0) continue;
      Pattern pattern = h.patterns[entry.pattern];
      u32 alignment = entry.alignment;
      if (!issue(i, pattern, alignment)) continue;
      costs_[i][static_cast<size_t>(space)] += cost_of(i, pattern, alignment) * (entry.count * times);
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
  for (size_t i = 0; i < costs_.size(); ++i)
    if (kinds_[i] == kind) all += of(i, space);
  return all;
}

}  // namespace ww::counters
