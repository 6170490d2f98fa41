// How much a matrix instruction multiplies.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace ww::counters {

/// Multiply-adds of one warp's part in a product of matrices: m · n · k, half of that where half of A is
/// zeros by its kind (mma.sp); 0 for what is none (PTX ISA, "Matrix Multiply-Accumulate Operations").
uint64_t multiply_adds(const ir::Instruction& in);

}  // namespace ww::counters
