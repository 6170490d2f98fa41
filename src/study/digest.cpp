#include "study/digest.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

namespace ww::study {

namespace {

__extension__ using Wide = unsigned __int128;

/// Both halves of a product, folded: every bit of the factors reaches most bits of the result.
uint64_t fold(uint64_t a, uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/// Multiplying hash over words of 8 bytes. The factors are odd, otherwise arbitrary.
uint64_t half(std::string_view text, uint64_t seed) {
  constexpr uint64_t kA = 0x9e3779b97f4a7c15, kB = 0xd1342543de82ef95;  // golden ratio; an LCG's multiplier
  uint64_t state = fold(seed ^ text.size(), kA);
  while (!text.empty()) {
    uint64_t word = 0;
    const size_t taken = text.size() < sizeof(word) ? text.size() : sizeof(word);
    std::memcpy(&word, text.data(), taken);
    state = fold(state ^ word, kB) + kA;
    text.remove_prefix(taken);
  }
  return fold(state ^ kB, kA);
}

}  // namespace

std::string digest(std::string_view text) {
  return fmt::format("{:016x}{:016x}", half(text, 0x243f6a8885a308d3), half(text, 0x13198a2e03707344));
}

}  // namespace ww::study
