// Which products of a function ptxas computes along with which sums: the choice of fuse_products.h.
#pragma once

#include <vector>

#include "ir/module.h"

namespace ww::ptxas {

/// The operations of one family of types.
struct Family {
  ir::Op mul, add, sub, neg, fma;
};
inline constexpr int kNobody = -1;

/// What a register holds: a product, perhaps negated on the way.
struct Held {
  int product = kNobody;
  bool negative = false;
};

/// An addition or subtraction of at least one product.
struct Sum {
  size_t at = 0;        ///< the instruction's place in ProductChoice::code
  Held operands[2];     ///< of a and b
  int fused = kNobody;  ///< the operand whose product is computed along
};

struct Product {
  size_t at = 0;
  const Family* family = nullptr;
  ir::Operand factors[2];
  int uses = 0;                ///< all of them
  int others = 0;              ///< those that are no sums of the kind wanted
  std::vector<size_t> sums;    ///< not fused yet; indices, one for each use
  std::vector<size_t> copies;  ///< places of mov and neg of it
  int fused = 0;               ///< sums that are
  int part = 0;                ///< in which it is
  bool anywhere = false;       ///< also for sums in other parts
  bool overwritten = false;    ///< a factor changes before a sum of it
};

/// A function as it was read, and what was chosen.
struct ProductChoice {
  std::vector<std::vector<ir::BlockId>>
      parts;                                 ///< the function's blocks, those together that are one for ptxas
  std::vector<const ir::Instruction*> code;  ///< of all of them, in this order
  std::vector<Product> products;
  std::vector<Sum> sums;
  bool any = false;  ///< whether there is anything to fuse
};

ProductChoice choose_products(const ir::Function& f);

}  // namespace ww::ptxas
