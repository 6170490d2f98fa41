// Which lane a lane takes its value from when lanes shuffle: for the interpreter and for compiled code.
#pragma once

#include "engine/machine.h"
#include "isa/form.h"

namespace ww::engine {

/// `way`, `by` (its lowest five bits) and `c` are what the instruction says; `inside`: whether there is such
/// a lane within the segment (otherwise a lane keeps what it has). Always inlined: lanes/ is compiled for
/// several CPUs.
[[gnu::always_inline]] inline u32 shuffled_from(isa::Mod way, u32 lane, u32 by, u32 c, bool& inside) {
  const u32 segment = c >> 8 & 31, clamp = c & 31;
  const u32 low = lane & segment, high = low | (clamp & ~segment);
  u32 from = 0;
  switch (way) {
    case isa::Mod::up:
      from = lane - by;
      inside = static_cast<int>(from) >= static_cast<int>(high);
      return inside ? from & 31 : lane;
    case isa::Mod::down:
      from = lane + by;
      break;
    case isa::Mod::bfly:
      from = lane ^ by;
      break;
    default:
      from = low | (by & ~segment);
      break;
  }
  inside = from <= high;
  return inside ? from & 31 : lane;
}

}  // namespace ww::engine
