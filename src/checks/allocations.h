// Accesses that start from one allocation and land in another.
#pragma once

#include <map>
#include <unordered_set>

#include "analysis/written_params.h"
#include "checks/check.h"
#include "checks/reach.h"

namespace ww::checks {

/// Of each access to global memory of the kernel itself the one argument that its address is made from: it
/// points into an allocation, and all else in the address are numbers. Two allocations of which each begins
/// where the other ends (mapped by cuMemMap) count as one.
class Allocations {
  using u32 = uint32_t;
  using u64 = uint64_t;

 public:
  void launch_begins(const engine::Program& program, const LaunchFacts& facts, int workers);
  /// The first lane of the access that lands in another allocation than its argument points into; -1: none.
  int strays(int worker, const events::Memory& event) {
    const u32 number = by_instruction_.empty() ? 0 : by_instruction_[event.instruction];
    if (number == 0 || ranges_[number].begin == ranges_[number].end) return -1;
    const Reach& reach = reaches_[static_cast<size_t>(worker)].of(event);
    const Range& r = ranges_[number];
    const u64 low = event.first + static_cast<u64>(reach.low);
    if (low >= r.begin && event.first + static_cast<u64>(reach.high) + event.bytes <= r.end) return -1;
    return stray_lane(event, r);
  }
  /// What the argument of the access points into: its first byte.
  u64 meant(u32 instruction) const { return ranges_[by_instruction_[instruction]].base; }

 private:
  struct Range {
    u64 begin = 0, end = 0;  ///< with the allocations that touch it
    u64 base = 0;            ///< of the allocation itself
  };
  struct Known {
    std::shared_ptr<const ir::Module> module;
    const void* infos = nullptr;
    std::vector<analysis::ParamPlace> places;
    std::vector<u64> masks;           ///< of places; the first stands for what is not known
    std::vector<u32> by_instruction;  ///< index into `masks`
  };
  static void find(const engine::Program& program, Known& known);
  Range range_of(u64 mask, const Known& known) const;
  int stray_lane(const events::Memory& event, const Range& meant) const;

  std::map<const engine::Program*, Known> known_;
  const engine::GlobalMemory* memory_ = nullptr;
  const std::vector<std::vector<uint8_t>>* arguments_ = nullptr;
  std::vector<u32> by_instruction_;
  std::vector<Range> ranges_;  ///< by mask
  std::vector<Reaches> reaches_;
};

}  // namespace ww::checks
