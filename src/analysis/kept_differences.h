// Which floating-point sums of a function may lose what their operands knew.
#pragma once

#include <unordered_set>

#include "ir/module.h"

namespace ww::analysis {

/// Sums, differences and fused products of f32 and f64 whose result goes into further arithmetic or to
/// memory. Left out: those of which only the size is compared (a loop that ends when two iterates agree),
/// those with a constant (rounding by adding a large number, reductions of arguments), and those of which one
/// operand is made from the other (what measures its own rounding error: compensated sums, exact products).
std::unordered_set<const ir::Instruction*> kept_differences(const ir::Function& function);

}  // namespace ww::analysis
