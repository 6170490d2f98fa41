// Which multiplications and additions ptxas makes one fused multiply-add.
#pragma once

#include "ir/module.h"

namespace ww::ptxas {

/// Replaces `add` and `sub` of a product by `fma.rn` wherever ptxas does, and takes out multiplications that
/// nobody needs any more. The PTX manual allows it for `mul`, `add` and `sub` without a rounding modifier, so
/// results differ from those of the text in their last bit, and are those of a GPU. Types f32, f64, f16, bf16
/// and pairs of the last two. A function that is compiled for a debugger (`.target debug`) stays as it is:
/// ptxas does not optimise it.
///
/// The rule, found by giving ptxas 13.0 small programs for sm_75, 80, 90 and 100 and reading the machine code
/// (tests/unit/ptxas_fuse_products_test.cpp repeats that where there is a ptxas). All is as in the text,
/// before any other optimisation but removing what nobody reads and looking through `mov` and `neg`:
/// - A product may be fused if it has no rounding modifier, no `.sat`, no guard, and all its uses are
///   additions and subtractions of its type, without a rounding modifier and with the same `.ftz`, that come
///   after it with no branch, label or call between; not one of something with itself.
/// - It may not if it has several uses and is added in one of them to a product with no other use.
/// - Additions are gone through in order. Of two products that may be fused the one with fewer uses is, or
///   else the first; the other one is then needed, and may not be fused elsewhere.
void fuse_products(ir::Module& module);

}  // namespace ww::ptxas
