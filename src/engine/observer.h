// Observers: counters and checkers outside the engine that are told what happens, one event per warp
// instruction.
#pragma once

#include "engine/machine.h"
#include "ir/module.h"

namespace ww::engine {

struct Program;

/// One memory instruction of one warp; of a fetch from a texture, four lanes of it, with the 32-byte sectors
/// that their texels lie in for addresses, one for each "lane" of the mask. Its addresses are `first` +
/// `offsets[lane]`.
struct MemoryEvent {
  u32 instruction = 0;  ///< index into Program::infos
  u64 block = 0;        ///< linear block number
  u32 warp = 0;         ///< index in the block
  u32 mask = 0;         ///< lanes that access
  ir::Space space =
      ir::Space::None;  ///< the space the first lane's address lies in (generic addresses resolved)
  bool store = false;
  bool atomic = false;
  u32 bytes = 0;  ///< accessed by each lane (all elements of a vector)
  u64 first = 0;  ///< address of the first active lane, within its space
  const int64_t* offsets =
      nullptr;  ///< of all 32 lanes from `first`, in bytes; those of inactive lanes mean nothing
  /// Events of one worker with the same serial have the same offsets (not 0). 0: nothing is known.
  u64 serial = 0;
};

/// Lanes of one warp that come to a barrier of their block.
struct BarrierEvent {
  u32 instruction = 0;  ///< index into Program::infos
  u64 block = 0;
  u32 warp = 0;
  u32 mask = 0;
};

/// Called from several threads at once, each with its own blocks; an observer keeps its own state apart by
/// `worker`.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void launch_begins(const Program&, int /*workers*/) {}
  virtual void block_begins(int /*worker*/, u64 /*block*/) {}
  virtual void memory(int /*worker*/, const MemoryEvent&) {}
  virtual void barrier(int /*worker*/, const BarrierEvent&) {}
  virtual void block_ends(int /*worker*/, u64 /*block*/) {}
};

}  // namespace ww::engine
