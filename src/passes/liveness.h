// Which registers hold values that are still needed, and how many that are at once.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace ww::passes {

/// A set of registers of a function.
class RegisterSet {
 public:
  explicit RegisterSet(size_t registers = 0) : words_((registers + 63) / 64) {}
  bool has(ir::RegId reg) const { return words_[reg / 64] >> reg % 64 & 1; }
  void add(ir::RegId reg) { words_[reg / 64] |= uint64_t{1} << reg % 64; }
  void remove(ir::RegId reg) { words_[reg / 64] &= ~(uint64_t{1} << reg % 64); }
  /// Adds all of `other`; whether that changed anything.
  bool add(const RegisterSet& other);
  bool operator==(const RegisterSet&) const = default;

 private:
  std::vector<uint64_t> words_;
};

struct Liveness {
  std::vector<RegisterSet> in, out;  ///< [block]: live at its begin and at its end
};

/// Registers whose value may be read later on some way. A predicated write does not end the old value.
Liveness liveness_of(const ir::Function& function);

/// Registers of 32 bits (a 64-bit value takes two, 16-bit ones one each) and predicates, apart.
struct Pressure {
  int registers = 0, predicates = 0;
};

/// The most that are live at once when the instructions run in the order of the PTX: an estimate from below
/// of what a compiler takes. ptxas orders the instructions anew, so that loads run ahead of their use, and
/// takes more registers where that costs no occupancy. Values that cost no register in machine code do not
/// count: kernel parameters and constants (and their generic or global addresses) come from the constant
/// bank.
Pressure pressure_of(const ir::Function& function);

}  // namespace ww::passes
