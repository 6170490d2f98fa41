// What the kernels of the bench are given: arrays of numbers, the same in every run.
#pragma once

#include <bit>
#include <random>

#include "peer_cases.h"

namespace ww::bench {

inline constexpr uint32_t kSeed = 1;

template <class Make>
Array array_of(size_t count, Make make) {
  Array a;
  a.words.resize(count);
  for (size_t i = 0; i < count; ++i) a.words[i] = std::bit_cast<uint32_t>(make(i));
  return a;
}
inline Array floats(size_t count, float low, float high) {
  std::mt19937 generator(kSeed);
  return array_of(
      count, [&](size_t) { return low + (high - low) * static_cast<float>(generator() >> 8) * 0x1p-24f; });
}
inline Array keys(size_t count) {
  std::mt19937 generator(kSeed);
  return array_of(count, [&](size_t) { return static_cast<uint32_t>(generator()); });
}
inline Array results(size_t count, bool are_floats = true) {
  return {std::vector<uint32_t>(count), true, are_floats};
}
inline Array changed(Array a) {
  a.result = true;
  return a;
}

}  // namespace ww::bench
