// In which order the blocks of a grid begin, and the warps of a block take their turns.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace ww::engine {

/// Any of them is one that a GPU might choose. A launch with one that is not Forward runs on one thread of
/// the host, so that it runs again exactly as it did.
struct Order {
  enum class Kind : uint8_t {
    Forward,      ///< by number
    Reverse,      ///< the last first
    Random,       ///< drawn from the seed, anew for every launch, block and round of turns
    Adversarial,  ///< the last first and the first first by turns, and a turn ends at every backward branch
  } kind = Kind::Forward;
  uint64_t seed = 0;

  /// The k-th of n, in round `round`: a permutation of 0 … n - 1 for each round.
  uint64_t at(uint64_t k, uint64_t n, uint64_t round) const;
  bool forward() const { return kind == Kind::Forward; }
};

/// "forward", "reverse", "random:SEED", "adversarial". Error: anything else.
Result<Order> order_of(std::string_view text);

}  // namespace ww::engine
