// What arrays hold at first that no file gives: random numbers, or 0, 1, 2, ….
#pragma once

#include <cstdint>

#include "base/npy.h"

namespace ww::cli {

/// Fills array.bytes, whose size is right. Floating-point types get the laboratory's numbers (2^-6 … 4,
/// either sign), integers all their values, bool 0 and 1. `stream` tells arrays apart. `bfloat`: its 16-bit
/// elements are bf16.
void fill_random(npy::Array& array, uint64_t seed, uint64_t stream, bool bfloat = false);

/// 0, 1, 2, …: integers wrap around (bool too), floating-point numbers are rounded.
void fill_range(npy::Array& array, bool bfloat = false);

}  // namespace ww::cli
