// What an instruction does beyond computing registers from registers: memory, order, and other threads.
//
// It is said once, beside the row (EFFECTS in chapters/); the verifier, the engine's events, counters, checks
// and the models of ptxas and of time read it here, and none of them looks at opcodes for it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/form.h"

namespace ww::isa {

enum class Direction : uint8_t {
  Read,
  Write,
  Update,  ///< reads and writes as one (atomics)
};

/// Which bytes a memory operand stands for.
enum class Range : uint8_t {
  Lane,  ///< of each active lane: the elements of the value, one behind the other
  Copy,  ///< of each active lane: as many as the operand `size` says
  Rows,  ///< of a warp: rows of 16 bytes of up to four 8 x 8 matrices; lane 8 q + r has the address of row r
         ///< of matrix q
  Fragment,  ///< of a warp: a matrix from one address, its rows (or columns) `stride` elements apart
  Bulk,      ///< of each active lane: as many as the register `size` says, or a box of a tensor
  Mbarrier,  ///< of each active lane: an mbarrier, 64 bits
  Texels,    ///< of each active lane: what a texture or surface holds at the coordinates
};

/// The way an access takes.
enum class Path : uint8_t {
  LoadStore,
  ReadOnly,  ///< loads through the read-only (texture) cache where a GPU has one
  Texture,
  Surface,
};

struct MemoryEffect {
  std::string_view operand;  ///< name of the operand with the address
  Direction direction = Direction::Read;
  Range range = Range::Lane;
  Path path = Path::LoadStore;
  Mod space =
      Mod::none;  ///< always this one; none: as the row's .space says (generic where it is not written)
  bool asynchronous = false;  ///< done, at the latest, when its completion is waited for
};

/// How the instruction keeps threads in step.
enum class Sync : uint8_t {
  None,
  BlockArrive,   ///< arrives at a barrier of the block and goes on
  BlockWait,     ///< arrives at one and waits
  WarpWait,      ///< lanes of a warp wait for each other; members are named by a mask
  Fence,         ///< orders the thread's memory accesses for a scope
  CommitCopies,  ///< makes one group of the asynchronous copies so far
  WaitCopies,    ///< waits for such groups
  MbarrierUpdate,  ///< arrives at an mbarrier, or changes what it waits for
  MbarrierTest,    ///< asks an mbarrier whether a phase is over; may wait
  ClusterArrive,   ///< arrives at the cluster's barrier and goes on
  ClusterWait,     ///< waits for it
  LaunchOrder,     ///< orders launches that depend on each other
  Pause,         ///< gives others time
};

/// Who carries it out together.
enum class Collective : uint8_t { Lane, Warp };

struct Effects {
  std::vector<MemoryEffect> memory;
  Sync sync = Sync::None;
  Collective collective = Collective::Lane;

  bool accesses_memory() const { return !memory.empty(); }
  /// Of its memory effects; false if it has none.
  bool reads() const;   ///< Read or Update
  bool writes() const;  ///< Write or Update
  bool updates() const;
  bool asynchronous() const;
};

/// Of a row.
const Effects& effects(Op op);

/// The space that an effect of an instruction names, as a modifier of space or `none` for generic addresses.
Mod space_of(const MemoryEffect& effect, const Form& form, const Chosen& chosen);

/// The index of the operand of that name; -1 if the form has none.
int operand_index(const Form& form, std::string_view name);

}  // namespace ww::isa
