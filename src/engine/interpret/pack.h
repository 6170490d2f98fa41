// What `mov` between a register and a brace list does.
#pragma once

#include "engine/machine.h"

namespace ww::engine {

/// Copies `bytes` of each active lane from one register (at byte `from_at` of its lanes) into another. The
/// instruction's Aux::more is a std::vector of them.
struct Piece {
  u32 to, to_lane, to_at;
  u32 from, from_lane, from_at;
  u32 bytes;
};

}  // namespace ww::engine
