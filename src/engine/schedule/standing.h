// Where the warps of a launch are when it is given up, for the message about a kernel that does not
// end.
#pragma once

#include <map>
#include <string>

#include "engine/machine.h"

namespace ww::engine {

struct BlockState;
struct LaunchState;
struct Program;

/// Lanes that stand at one instruction for one reason.
struct StandingPlace {
  enum class Why : u8 { Running, Barrier, OtherLanes, Phase } why = Why::Running;
  u32 instruction = 0;  ///< index into Program::infos
  auto operator<=>(const StandingPlace&) const = default;
};

/// Counted over the blocks that have begun and not ended.
struct Standing {
  struct Group {
    u64 warps = 0;
    u64 lanes = 0, of = 0;  ///< that stand here, of all of these warps that have not exited
    std::string example;    ///< "block (0,0,0), warp 3", or a thread of it
    std::string phase;      ///< which they wait for (phase_text)
  };
  std::map<StandingPlace, Group> places;
  u64 blocks = 0;  ///< that had begun
};

/// Whether nothing runs: all wait for each other, mostly for mbarriers.
bool only_waits(const Standing& standing);

/// Adds a block that stopped in the middle. The launch's mutex is held.
void add_standing(Standing& standing, const BlockState& block);

/// A line for each place, the most warps first: how many, at which instruction and source line, in which
/// loop, and what that loop waits for, as far as its code tells. `ended`, `all`: blocks of the grid.
std::string standing_text(const Standing& standing, const Program& program, u64 ended, u64 all);

}  // namespace ww::engine
