// Undefined bits through the instructions that a warp does to matrices.
#pragma once

#include "checks/values/rules.h"

namespace ww::checks {

/// ldmatrix: `rows` are the undefined bits of 8 rows of 16 bytes for each register of the result. Returns
/// whether any bit is undefined.
bool carry_rows(const Plan& plan, const Frame& frame, const u8 (*rows)[16]);

/// wmma.mma: its result has in each lane the undefined registers of what is added; the layout of fragments is
/// open, but the same for both where they have as many registers. A and B count as defined.
void carry_added(const Plan& plan, const Frame& frame);

/// mma: an element of the result is undefined where one of its row of A, its column of B, or the one that is
/// added is. Returns whether any is.
bool carry_product(const Plan& plan, const Frame& frame);

}  // namespace ww::checks
