// What one instruction does to memory: the effects of its row with the modifiers and operands that it chose.
#pragma once

#include "ir/module.h"
#include "isa/effects.h"

namespace ww::ir {

struct Access {
  int operand = 0;            ///< index of the operand with the address
  Space space = Space::None;  ///< None: a generic address, which says itself where it lies
  isa::Direction direction{};
  isa::Range range{};
  isa::Path path{};
  bool asynchronous = false;
  /// Of each lane: the elements of its vector, its copy at most, its share of a warp's matrix.
  uint32_t bytes = 0;
  bool bytes_vary = false;  ///< a register may make it fewer (cp.async with a source size)
};

/// In the order of the row's effects.
std::vector<Access> accesses_of(const Instruction& instruction);

inline const isa::Effects& effects_of(const Instruction& instruction) { return isa::effects(instruction.op); }

/// Whether registers get what it reads from memory (loads, fetches, atomics with a result).
bool loads_registers(const Instruction& instruction);
/// Whether it returns what another thread may have written a moment ago, and programs repeat it to wait for
/// that: compare-and-swaps, exchanges, loads that look at memory each time (volatile, relaxed, acquire), and
/// atomics whose constant changes nothing, as in atomicAdd(flag, 0).
bool asks_memory(const Instruction& instruction);
/// Whether it waits at a barrier of its block.
inline bool waits_at_barrier(const Instruction& in) { return effects_of(in).sync == isa::Sync::BlockWait; }
/// The scope of a fence: .cta, .cluster, .gpu or .sys (membar.gl is .gpu). Mod::none for other instructions
/// and for fences between proxies.
Mod fence_scope(const Instruction& instruction);

}  // namespace ww::ir
