// Initial values of variables.
#pragma once

#include "ptx/declaration.h"

namespace ww::ptx {

/// Reads what follows '=': a number, the address of a symbol, or nested braces of them. Sets the variable's
/// initial bytes and relocations, and the size of an array declared with [].
bool read_initializer(Context& context, const Attributes& attributes, const Declarator& declarator,
                      ir::Variable& variable);

}  // namespace ww::ptx
