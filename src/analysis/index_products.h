// Which 32-bit products a function makes addresses of.
#pragma once

#include <unordered_map>

#include "ir/module.h"

namespace ww::analysis {

/// How such a product becomes as wide as an address.
enum class Widened { Signed, Unsigned };

/// Instructions (mul.lo and mad.lo of 32 bits) whose result reaches the address of a memory access by sums,
/// products, shifts to the left, copies, choices and conversions alone. What goes through a remainder, a mask
/// or a shift to the right is left out: there it is meant that high bits are lost.
using IndexProducts = std::unordered_map<const ir::Instruction*, Widened>;
IndexProducts index_products(const ir::Function& function);

}  // namespace ww::analysis
