// The shape in the name of a matrix instruction.
#pragma once

#include "isa/form.h"

namespace ww::isa {

/// D (m x n) = A (m x k) · B (k x n) + C.
struct MatrixShape {
  int m = 0, n = 0, k = 0;
};

/// "m16n8k16" → 16, 8, 16.
MatrixShape matrix_shape(Mod mod);

}  // namespace ww::isa
