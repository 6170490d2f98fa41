#include "caches/atomics.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <vector>

namespace ww::caches {

namespace {

constexpr u64 kWord = 4, kAtomicSector = 32, kAtomicLine = 128;  // bytes
/// Of the passes after a half of the blocks or less: from here on the line is one that all blocks meet in.
constexpr double kGrows = 1.5;

using PassesOfLines = std::unordered_map<u64, u64>;

/// Adds the passes of one warp's atomic whose first active lane is at `first`.
void add_passes(PassesOfLines& all, const rules::Pattern& pattern, u64 first) {
  std::unordered_map<u64, u64> lanes;  // by word
  for (u32 m = pattern.mask; m != 0; m &= m - 1)
    ++lanes[(first + static_cast<u64>(pattern.offset[static_cast<size_t>(std::countr_zero(m))])) / kWord];
  std::unordered_map<u64, u64> most;  // by sector
  for (const auto& [word, count] : lanes) {
    u64& passes = most[word * kWord / kAtomicSector];
    passes = std::max(passes, count);
  }
  for (const auto& [sector, passes] : most) all[sector * kAtomicSector / kAtomicLine] += passes;
}

bool has_atomics(const BlockTrace& block) {
  return std::any_of(block.shape->slots.begin(), block.shape->slots.end(),
                     [](const TraceSlot& s) { return s.kind == rules::AccessKind::Atomic; });
}

u64 most_of(const PassesOfLines& all) {
  u64 most = 0;
  for (const auto& [line, passes] : all) most = std::max(most, passes);
  return most;
}

}  // namespace

double busiest_atomic_line(const GridTrace& grid, u64 budget) {
  PassesOfLines all;
  u64 lanes = 0, looked = 0;
  std::vector<u64> early;  // [k]: what the busiest had got after 2^k blocks
  for (; looked < grid.blocks() && lanes < budget; ++looked) {
    const BlockTrace block = grid.block(looked);
    if (!block.shape) break;
    if (std::has_single_bit(looked)) early.push_back(most_of(all));
    ++lanes;
    if (!has_atomics(block)) continue;
    for (const TraceEvent& e : block.shape->events) {
      if (e.local || block.shape->slots[e.slot].kind != rules::AccessKind::Atomic) continue;
      const rules::Pattern& pattern = block.shape->patterns[e.pattern];
      add_passes(all, pattern, block.first[e.slot] + static_cast<u64>(e.address));
      lanes += static_cast<u64>(std::popcount(pattern.mask));
    }
  }
  const auto most = static_cast<double>(most_of(all));
  if (looked == grid.blocks() || looked < 2) return most;
  const u64 half = early[static_cast<size_t>(std::bit_width(looked)) - 2];  // after a half or less
  if (most < kGrows * static_cast<double>(half)) return most;
  return most * static_cast<double>(grid.blocks()) / static_cast<double>(looked);
}

}  // namespace ww::caches
