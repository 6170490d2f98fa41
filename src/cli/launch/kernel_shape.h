// What a kernel's code says of the grid and block that it is written for.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"

namespace ww::cli {

struct KernelShape {
  uint64_t grid = 1;     ///< directions in which it asks for its block's place: 1 to 3
  uint64_t threads = 1;  ///< the same of the thread in its block
  /// Its blocks cannot tell themselves from each other: it asks neither for their places nor for how many
  /// there are, nor takes numbers from a counter in global memory.
  bool one_block = false;
  /// Elements that a block covers in x, y, z, as far as the number of the block is multiplied by a constant;
  /// 0 where it is multiplied by the size of the block, or by nothing.
  std::array<uint64_t, 3> tile = {0, 0, 0};
  /// Elements that a block covers for each of its threads in x, y, z, as far as its number is multiplied by
  /// its size and a constant; 1 elsewhere.
  std::array<uint64_t, 3> per_thread = {1, 1, 1};
  /// What a loop that begins at threadIdx.x goes on by, where that is a constant: as many threads are meant
  /// to share a row. 0: none.
  uint64_t row_threads = 0;
  /// Elements of the shared arrays that have a size. An element is as long as what indices are multiplied by
  /// (12 for a float3), else as the array's alignment. Where both may be, both.
  std::vector<uint64_t> shared_elements;
  uint64_t most_threads = 0;  ///< by __launch_bounds__ (.maxntid); 0: not said
};

/// Of an entry by its name in the PTX.
KernelShape kernel_shape(const ir::Module& module, const std::string& kernel);

}  // namespace ww::cli
