#include "checks/allocations.h"

#include <algorithm>
#include <cstring>

namespace ww::checks {

void Allocations::find(const engine::Program& program, Known& known) {
  const analysis::AccessParams accesses = analysis::access_params(*program.module, *program.entry);
  known.places = accesses.places;
  known.masks = {0};
  std::map<const ir::Instruction*, u32> of;
  for (const auto& [instruction, mask] : accesses.of) {
    const auto at = std::find(known.masks.begin(), known.masks.end(), mask);
    of[instruction] = static_cast<u32>(at - known.masks.begin());
    if (at == known.masks.end()) known.masks.push_back(mask);
  }
  known.by_instruction.assign(program.infos.size(), 0);
  for (size_t k = 0; k < program.infos.size(); ++k)
    if (const auto at = of.find(program.infos[k].instruction); at != of.end())
      known.by_instruction[k] = at->second;
}

void Allocations::launch_begins(const engine::Program& program, const LaunchFacts& facts, int workers) {
  by_instruction_.clear();
  memory_ = facts.memory, arguments_ = facts.arguments;
  if (!memory_ || !arguments_) return;
  Known& k = known_[&program];
  if (k.module != program.module || k.infos != program.infos.data()) {
    k = {program.module, program.infos.data(), {}, {}, {}};
    find(program, k);
  }
  reaches_.assign(static_cast<size_t>(workers), {});
  by_instruction_ = k.by_instruction;
  ranges_.clear();
  for (const u64 mask : k.masks) ranges_.push_back(range_of(mask, k));
}

Allocations::Range Allocations::range_of(u64 mask, const Known& known) const {
  Range r;
  for (; mask; mask &= mask - 1) {
    const analysis::ParamPlace& p = known.places[static_cast<size_t>(__builtin_ctzll(mask))];
    if (p.param >= arguments_->size()) return {};
    const auto& argument = (*arguments_)[p.param];
    u64 value = 0;
    if (p.offset + sizeof value > argument.size()) return {};
    std::memcpy(&value, argument.data() + p.offset, sizeof value);
    const auto in = memory_->find(value);
    if (!in && value >= engine::kMemoryBase && value - engine::kMemoryBase < (u64{1} << 40)) return {};
    if (!in) continue;  // a number
    if (r.end && r.base != in->base) return {};
    r = {in->base, in->base + in->size, in->base};
  }
  if (!r.end) return {};
  while (const auto next = memory_->find(r.end)) r.end = next->base + next->size;
  while (const auto before = memory_->find(r.begin - 1)) r.begin = before->base;
  return r;
}

int Allocations::stray_lane(const events::Memory& e, const Range& meant) const {
  for (u32 m = e.mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const u64 at = e.first + static_cast<u64>(e.offsets[lane]);
    if (at >= meant.begin && at < meant.end) continue;
    // What lies in no allocation is a wrong access, which memory reports.
    const auto in = memory_->find(at);
    if (in && !in->heap) return lane;
  }
  return -1;
}

}  // namespace ww::checks
