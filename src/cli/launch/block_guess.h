// Blocks that a kernel may want, by what its code says.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace ww::cli {

/// A block, and the part of the arrays that it works on.
struct BlockLayout {
  uint64_t x = 256, y = 1;        // threads
  uint64_t wide = 256, high = 1;  // elements
  bool from_kernel = false;       // by its shared arrays or __launch_bounds__
};

/// The likeliest first: by its shared arrays, then the usual ones; none of more threads than its
/// __launch_bounds__. `kernel`: its index. `plane`: it asks for y of its block or of the thread, which
/// `threads_in_plane` says.
std::vector<BlockLayout> block_layouts(const ir::Module& module, int kernel, bool plane,
                                       bool threads_in_plane);

}  // namespace ww::cli
