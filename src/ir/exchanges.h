// Atomics that put a value in the place of another and return that.
#pragma once

#include "ir/module.h"

namespace ww::ir {

/// An exchange or a compare-and-swap.
inline bool exchanges(const Instruction& in) {
  return in.op == Op::atom_cas || (in.op == Op::atom && in.mod(isa::Slot::aop) == isa::Mod::exch);
}

}  // namespace ww::ir
