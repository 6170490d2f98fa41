// What the plans of products on tensor cores have in common (tensor_tiles.h, tensor_parts.h).
#pragma once

#include "kernels/matmul/tile_shapes.h"
#include "kernels/plan.h"

namespace ww::kernels {

/// Blocks stay: one on each multiprocessor of an H200, which takes tile after tile.
inline uint32_t staying_blocks(uint64_t tiles) {
  return static_cast<uint32_t>(std::min<uint64_t>(132, tiles));
}

/// Words of an operand's parts.
inline uint64_t words_of(const TensorTile& tile, int64_t n) {
  return tile.parts * static_cast<uint64_t>(n * pitch_of(n)) / 2;
}

/// The map of buffer `buffer`: `parts` matrices n × n, copied in boxes of 64 × `box_rows`.
inline TensorMaps::Of operand_map(int buffer, device::TensorMap::Type type, int64_t n, uint32_t parts,
                                  uint32_t box_rows) {
  const auto side = static_cast<uint64_t>(n), row = static_cast<uint64_t>(2 * pitch_of(n));
  return {buffer, {type, 0, {side, side, parts}, {row, row * side}, {64, box_rows, 1}}};
}
/// The same of parts whose rows are copied to their very ends, which hold zeros behind n elements.
inline TensorMaps::Of whole_rows_map(int buffer, device::TensorMap::Type type, int64_t n, uint32_t parts,
                                     uint32_t box_rows) {
  TensorMaps::Of map = operand_map(buffer, type, n, parts, box_rows);
  map.map.size[0] = static_cast<uint64_t>(pitch_of(n));
  return map;
}
/// Of the results.
inline TensorMaps::Of result_map(int buffer, int64_t n) {
  const auto side = static_cast<uint64_t>(n);
  return {buffer, {device::TensorMap::Type::F32, 0, {side, side}, {4 * side}, {32, 64}}};
}

}  // namespace ww::kernels
