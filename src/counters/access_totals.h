// What a run's memory accesses cost on one GPU, by instruction and space.
#pragma once

#include "counters/patterns.h"
#include "counters/rules/rules.h"
#include "engine/program.h"

namespace ww::counters {

/// Accesses to shared memory that the GPU's compiler makes one wider access of, at the address of any of them
/// rounded down to a multiple of its width.
struct MergedAccess {
  std::vector<u32> instructions;  ///< indices into Program::infos
  u32 bytes = 16;                 ///< of each lane, by all of them together
};

enum class AccessKind { Load, Store, Atomic };
inline constexpr int kAccessKinds = 3;
/// Load, store or atomic of an instruction that accesses memory.
AccessKind access_kind(const ir::Instruction& instruction);

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
    return costs_[instruction][static_cast<size_t>(space)];
  }
  size_t instructions() const { return costs_.size(); }
  /// Over all instructions of the kind.
  Cost sum(CostSpace space, AccessKind kind) const;

 private:
  Capability cc_;
  std::vector<AccessKind> kinds_;
  std::vector<bool> textures_;  ///< fetches from textures
  std::vector<u32>
      wide_;  ///< bytes of a merged access at its first instruction, kAbsorbed at the others, else 0
  std::vector<std::array<Cost, kCostSpaces>> costs_;
};

}  // namespace ww::counters
