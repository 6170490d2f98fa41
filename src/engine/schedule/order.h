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
    Usual,    ///< Forward; but taking_turns() where a listener hears of fences and the kernel's threads wait
              ///< for each other in loops: what is ordered by luck in one order is not in another
    Forward,  ///< by number
    Reverse,  ///< the last first, of as many blocks as can be begun at once
    Random,   ///< drawn from the seed, anew for every launch, block and round of turns; a turn ends at
              ///< every second atomic or store that others may wait for
    Adversarial,  ///< the last first and the first first by turns, and a turn ends at every backward branch
                  ///< and atomic
  } kind = Kind::Usual;
  uint64_t seed = 0;

  /// The k-th of n, in round `round`: a permutation of 0 … n - 1 for each round.
  uint64_t at(uint64_t k, uint64_t n, uint64_t round) const;
  /// Whether a warp's turn ends behind its n-th atomic: what comes between two atomics of one thread, those
  /// of others must get a chance to come between.
  bool ends_turn(uint64_t n) const;
  bool ends_turns() const { return kind == Kind::Random || kind == Kind::Adversarial; }
  bool forward() const { return kind == Kind::Forward || kind == Kind::Usual; }
  static Order taking_turns() { return {Kind::Random, 0}; }
};

/// "forward", "reverse", "random:SEED", "adversarial". Error: anything else.
Result<Order> order_of(std::string_view text);

}  // namespace ww::engine
