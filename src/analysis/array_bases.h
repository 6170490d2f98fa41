// Which array the address of an access is made from: a shared or constant variable, or a local array.
#pragma once

#include <vector>

#include "ir/module.h"

namespace ww::analysis {

/// A shared, constant or local variable; or, of the variable in which a compiler keeps all local arrays of a
/// function
/// (__local_depot…), the array that begins at `offset`.
struct ArrayBase {
  ir::SymbolId symbol = ir::kNone;
  uint64_t offset = 0;
};

struct ArrayBases {
  std::vector<ArrayBase> bases;
  ir::SymbolId depot = ir::kNone;  ///< the variable of all local arrays, if there is one
  /// [register]: the one base whose address plus numbers it holds, as an index into `bases`; ir::kNone where
  /// it holds none, or one of several, or what cannot be told.
  std::vector<uint32_t> of_register;

  /// Of a memory operand; ir::kNone: unknown.
  uint32_t of(const ir::Operand& memory) const;
};

/// That an array begins wherever a constant is added to the depot's address is seen, not promised: clang 19
/// at -O0 to -O3 and nvcc 13 at -O3 and -G form the address of each local array so, and of nothing inside
/// one.
ArrayBases array_bases(const ir::Module& module, const ir::Function& function);

}  // namespace ww::analysis
