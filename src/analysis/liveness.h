// Which registers hold values that are still needed, and how many that are at once.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace ww::analysis {

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

/// [register]: its only value is a kernel parameter, a constant, or an address made of one of these, which
/// machine code takes out of the constant bank.
std::vector<bool> constant_registers(const ir::Function& function);

}  // namespace ww::analysis
