// What the plans of all C = A·B kernels begin with.
#pragma once

#include <string>

#include "base/round.h"
#include "kernels/families.h"

namespace ww::kernels {

/// Blocks that `items` take, `each` of them in a block.
inline uint32_t blocks(int64_t items, int64_t each) { return static_cast<uint32_t>(divide_up(items, each)); }

/// Task, buffers and one launch of `kernel` with the arguments a, b, c, n. `slack_tile` > 0: the kernel
/// prefetches a tile of this side beyond the end of A and B.
Result<Plan> plan_product(const Config& config, const std::string& kernel, device::Dim3 grid,
                          device::Dim3 block, int slack_tile = 0);

}  // namespace ww::kernels
