// Seeded random inputs, the same on every platform and in any order of generation.
#pragma once

#include <cstdint>
#include <span>

namespace ww::kernels {

/// Element `index` of random stream `stream` of `seed`: ±m·2^e with m uniform in [1, 2) and e uniform in −6 …
/// 1, so between 2^-6 and 4 in size; never zero. A hash of its arguments (SplitMix64's finaliser), not a
/// sequence.
float random_value(uint64_t seed, uint64_t stream, uint64_t index);

/// Elements first, first + 1, …
void fill_random(uint64_t seed, uint64_t stream, uint64_t first, std::span<float> out);

}  // namespace ww::kernels
