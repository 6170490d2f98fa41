// Blocks that a kernel may want, by what its code says.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/launch/kernel_shape.h"

namespace ww::cli {

/// A block, and the part of the arrays that it works on.
struct BlockLayout {
  uint64_t x = 256, y = 1, z = 1;           // threads
  uint64_t wide = 256, high = 1, deep = 1;  // elements
  bool operator==(const BlockLayout&) const = default;
};

/// The likeliest first: by its shared arrays and its __launch_bounds__, then the usual ones; none of more
/// threads than those allow, and one-dimensional where the kernel asks for threadIdx.x alone.
std::vector<BlockLayout> block_layouts(const KernelShape& shape);

/// Lets a block that has an element for each thread cover what the code says.
void cover(BlockLayout& layout, const KernelShape& shape);

/// The directions in which its blocks have several threads. A kernel that asks for all three in fewer
/// directions of blocks wants the rank of the thread, which it has in any block.
uint64_t thread_directions(const KernelShape& shape);

}  // namespace ww::cli
