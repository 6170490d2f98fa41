// Tiles that products are computed in: the numbers that the kernels are compiled for.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/round.h"

namespace ww::kernels {

/// A Tiles<…> of async_tiles.h: `rows` × `columns` results, in steps of `depth` along k.
struct AsyncTile {
  uint32_t threads, rows, columns, depth, stages;
  /// Dynamic shared memory. `longer`: of how many operands rows have four words more there.
  uint64_t bytes(uint32_t longer = 1) const {
    return uint64_t{stages} * depth * (rows + columns + 4 * longer) * sizeof(float);
  }
  uint64_t count(int64_t m, int64_t n) const {
    return static_cast<uint64_t>(divide_up(m, rows) * divide_up(n, columns));
  }
};

/// A Tensor<…> of tensor_tiles.h or Parts<…> of tensor_parts.h; operands as `parts` 16-bit matrices each, in
/// rows of pitch_of(n).
struct TensorTile {
  uint32_t rows, columns, stages, parts;
  uint32_t groups = 2, cluster = 1;  ///< warpgroups that multiply; blocks of a cluster
  uint32_t across = 1;               ///< how many of its tiles lie side by side
  uint32_t below() const { return cluster / across; }
  uint32_t threads() const { return 128 * groups + 128; }
  /// Of B: 64 columns each, all of which are copied.
  uint32_t panels() const { return divide_up(columns, uint32_t{64}); }
  /// Dynamic shared memory of a block: stages, boxes of results, and what aligning them takes.
  uint64_t bytes() const {
    return uint64_t{stages} * parts * (rows + 64 * panels()) * 128 + uint64_t{2} * groups * 64 * 128 + 1024;
  }
  uint64_t count(int64_t m, int64_t n) const {
    return static_cast<uint64_t>(divide_up(m, int64_t{rows} * below()) *
                                 divide_up(n, int64_t{columns} * across)) *
           cluster;
  }
  /// Square ones on and below the diagonal.
  uint64_t lower_count(int64_t n) const {
    const auto side = static_cast<uint64_t>(divide_up(n, rows));
    return side * (side + 1) / 2;
  }
};

/// Elements from a row to the next of 16-bit ones: rows begin at lines of 128 bytes. (At multiples of 16
/// bytes the copy engine takes them too, but each of its rows of 128 bytes then lies in two lines: half the
/// pace.)
inline int64_t pitch_of(int64_t n) { return round_up(n, 64); }

}  // namespace ww::kernels
