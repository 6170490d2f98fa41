// What a run's memory accesses cost on one GPU, by instruction and space.
#pragma once

#include "engine/decode/program.h"
#include "rules/patterns.h"
#include "rules/rules.h"

namespace ww::rules {

/// Accesses to shared memory that the GPU's compiler makes one wider access of, at the address of any of them
/// rounded down to a multiple of its width.
struct MergedAccess {
  std::vector<u32> instructions;  ///< indices into Program::infos
  u32 bytes = 16;                 ///< of each lane, by all of them together
};

/// Copy: what an asynchronous copy writes to shared memory, which profilers do not count among stores.
enum class AccessKind { Load, Store, Atomic, Copy };
inline constexpr int kAccessKinds = 4;
constexpr AccessKind kind_of(isa::Direction direction, bool asynchronous) {
  if (asynchronous && direction == isa::Direction::Write) return AccessKind::Copy;
  return direction == isa::Direction::Read    ? AccessKind::Load
         : direction == isa::Direction::Write ? AccessKind::Store
                                              : AccessKind::Atomic;
}
/// What the instruction does there (a copy between spaces loads in one and stores in the other); Load if
/// nothing.
AccessKind access_kind(const ir::Instruction& instruction, ir::Space space);

/// The spaces that cost something. Kernel parameters are constant memory and cost nothing worth counting;
/// those of functions are registers.
enum class CostSpace { Global, Shared, Local, Constant, Texture };
inline constexpr int kCostSpaces = 5;

class AccessTotals {
 public:
  AccessTotals(const engine::Program& program, Capability cc, const std::vector<MergedAccess>& merged = {});
  /// Adds what the histogram's accesses cost, each `times`.
  void add(const AccessHistogram& histogram, u64 times = 1);

  void add(const AccessTotals& more, u64 times);
  void clear();
  bool operator==(const AccessTotals&) const = default;

  /// What of an access to shared memory the GPU issues: the access itself, widened with those that are joined
  /// to it, or nothing (false) where it is a part of another's.
  bool issue(size_t instruction, Pattern& pattern, u32& alignment) const;

  /// What an access costs that is issued (see issue); nothing in spaces that cost nothing.
  Cost cost_of(size_t instruction, const Pattern& pattern, u32 alignment) const;

  Capability capability() const { return cc_; }
  const Cost& of(size_t instruction, CostSpace space) const {
    return costs_[rows_[instruction]][static_cast<size_t>(space)];
  }
  /// What the instruction does in that space.
  AccessKind kind(size_t instruction, CostSpace space) const {
    return kinds_[instruction][static_cast<size_t>(space)];
  }
  size_t instructions() const { return rows_.size(); }
  /// Over all instructions of the kind.
  Cost sum(CostSpace space, AccessKind kind) const;

 private:
  Capability cc_;
  std::vector<std::array<AccessKind, kCostSpaces>> kinds_;  ///< by instruction
  std::vector<bool> textures_;                              ///< fetches from textures
  std::vector<bool> past_l1_;                               ///< copies with .cg
  std::vector<u32>
      wide_;  ///< bytes of a merged access at its first instruction, kAbsorbed at the others, else 0
  /// By instruction: which of `costs_` is its own; the first, of nothing, for all that reach no memory. Those
  /// are most, and a long kernel is often launched for a moment only.
  std::vector<u32> rows_;
  std::vector<std::array<Cost, kCostSpaces>> costs_;
};

}  // namespace ww::rules
