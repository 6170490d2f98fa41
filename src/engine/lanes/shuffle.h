// Which lane a lane takes its value from when lanes shuffle: for the interpreter, compiled code and the
// checks.
#pragma once

#include <bit>

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

/// The width that CUDA C++ has made `c` of.
inline u32 shuffle_width(u32 c) { return 32 - (c >> 8 & 31); }
/// Whether a shuffle may have that width (CUDA C++ Programming Guide, Warp Shuffle Functions).
inline bool is_width(u32 width) { return std::has_single_bit(width); }

}  // namespace ww::engine
