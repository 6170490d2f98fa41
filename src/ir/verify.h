// Whether a module obeys the rules of PTX as far as running it safely depends on them.
#pragma once

#include "base/diagnostic.h"
#include "ir/module.h"

namespace ww::ir {

/// What is wrong with the module; empty: it may be run. What passes has operands of the kinds and widths that
/// its forms promise, branches inside their functions, calls that match their callees, and variables of sane
/// sizes.
Diagnostics verify(const Module& module);

/// Whether a register of type `reg` may stand where a form wants `type` (PTX ISA, "Operand Type Checking"):
/// bits go with everything of their width, integers with integers; with `wider` also in a wider register.
bool fits(Type reg, Type type, bool wider);

}  // namespace ww::ir
