// Which 32-bit products a function makes addresses of.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace ww::analysis {

/// How such a product becomes as wide as an address.
enum class Widened { Signed, Unsigned };

/// A product that becomes part of an address only in the lanes that a selp takes it in: compilers calculate
/// what stands on both sides of a choice.
struct ChosenProduct {
  const ir::Instruction* product = nullptr;
  bool where_true = false;  ///< it is taken where the predicate is true
  Widened by = Widened::Signed;
};

/// Instructions (mul.lo and mad.lo of 32 bits) whose result reaches the address of a memory access by sums,
/// products, shifts to the left, copies, choices and conversions alone. What goes through a remainder, a mask
/// or a shift to the right is left out: there it is meant that high bits are lost.
struct IndexProducts {
  std::unordered_map<const ir::Instruction*, Widened> always;
  /// By selp. Its products stand in its block, and their operands are at it what they were; products that are
  /// further away from their choice are left out.
  std::unordered_map<const ir::Instruction*, std::vector<ChosenProduct>> chosen;
  bool empty() const { return always.empty() && chosen.empty(); }
};
IndexProducts index_products(const ir::Function& function);

}  // namespace ww::analysis
