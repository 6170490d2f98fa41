// What the plans of products on tensor cores have in common (tensor_tiles.h, tensor_parts.h).
#pragma once

#include <algorithm>

#include "base/round.h"
#include "kernels/plan.h"

namespace ww::kernels {

/// Tiles of `rows` × `columns` results; operands as `parts` 16-bit matrices each, in rows of pitch_of(n).
struct TensorTile {
  uint32_t rows, columns, stages, parts;
  /// Dynamic shared memory of a block: stages, boxes of results, and what aligning them takes.
  uint64_t bytes() const {
    return uint64_t{stages} * parts * (rows + columns) * 128 + uint64_t{4} * 64 * 128 + 1024;
  }
  uint32_t tiles(int64_t n) const {
    return static_cast<uint32_t>(divide_up(n, rows) * divide_up(n, columns));
  }
  /// Square ones on and below the diagonal.
  uint32_t lower_tiles(int64_t n) const {
    const auto side = static_cast<uint32_t>(divide_up(n, rows));
    return side * (side + 1) / 2;
  }
  /// Words of an operand's parts.
  uint64_t words(int64_t n) const;
};

/// Blocks stay: one on each multiprocessor of an H200, which takes tile after tile.
inline uint32_t staying_blocks(uint32_t tiles) { return std::min<uint32_t>(132, tiles); }

/// Elements from a row of 16-bit ones to the next: rows begin at multiples of 16 bytes.
inline uint64_t pitch_of(int64_t n) { return static_cast<uint64_t>(divide_up(n, 8) * 8); }

inline uint64_t TensorTile::words(int64_t n) const {
  return parts * static_cast<uint64_t>(n) * pitch_of(n) / 2;
}

/// The map of buffer `buffer`: `parts` matrices n × n, copied in boxes of 64 × `box_rows`.
inline TensorMaps::Of operand_map(int buffer, device::TensorMap::Type type, int64_t n, uint32_t parts,
                                  uint32_t box_rows) {
  const auto side = static_cast<uint64_t>(n), row = 2 * pitch_of(n);
  return {buffer, {type, 0, {side, side, parts}, {row, row * side}, {64, box_rows, 1}}};
}
/// Of the results.
inline TensorMaps::Of result_map(int buffer, int64_t n) {
  const auto side = static_cast<uint64_t>(n);
  return {buffer, {device::TensorMap::Type::F32, 0, {side, side}, {4 * side}, {32, 64}}};
}

}  // namespace ww::kernels
