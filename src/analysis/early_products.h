// Matrix products of four warps (wgmma) whose registers are used before the product is over.
#pragma once

#include <vector>

#include "ir/module.h"

namespace ww::analysis {

struct EarlyProduct {
  const ir::Instruction* product = nullptr;
  const ir::Instruction* use = nullptr;  ///< reads what it computes; null: it stands behind no wgmma.fence
  bool committed = false;                ///< it is in a group, for which nobody has waited yet
};

/// Only what holds on every path: a use that any path from the product reaches behind a wait for its group
/// is left out, and a product that any path reaches behind a fence. Copies of registers (which compilers
/// place at will) are no uses, but what reads the copy is. The first use of each product.
std::vector<EarlyProduct> early_products(const ir::Function& function);

}  // namespace ww::analysis
