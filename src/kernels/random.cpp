#include "kernels/random.h"

#include <bit>

namespace ww::kernels {

namespace {

/// SplitMix64's output function: Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;  // its increment

uint64_t stream_key(uint64_t seed, uint64_t stream) {
  return mix(mix(seed + kGolden) + kGolden * (stream + 1));
}

float value(uint64_t key, uint64_t index) {
  const uint64_t bits = mix(key + kGolden * (index + 1));
  const auto sign = static_cast<uint32_t>(bits >> 63) << 31;
  const auto exponent = static_cast<uint32_t>(127 - 6 + ((bits >> 60) & 7)) << 23;
  const auto mantissa = static_cast<uint32_t>(bits & 0x7fffff);
  return std::bit_cast<float>(sign | exponent | mantissa);
}

}  // namespace

float random_value(uint64_t seed, uint64_t stream, uint64_t index) {
  return value(stream_key(seed, stream), index);
}

void fill_random(uint64_t seed, uint64_t stream, uint64_t first, std::span<float> out) {
  const uint64_t key = stream_key(seed, stream);
  for (size_t i = 0; i < out.size(); ++i) out[i] = value(key, first + i);
}

}  // namespace ww::kernels
