// What arrays hold at first that no file gives: random numbers, or 0, 1, 2, ….
#pragma once

#include <cstdint>

#include "base/npy.h"

namespace ww::cli {

/// Fills array.bytes, whose size is right. Floating-point types get the laboratory's numbers (2^-6 … 4,
/// either sign), integers all their values. `stream` tells arrays apart.
void fill_random(npy::Array& array, uint64_t seed, uint64_t stream);

/// 0, 1, 2, …: integers wrap around, floating-point numbers are rounded.
void fill_range(npy::Array& array);

}  // namespace ww::cli
