// Float32 matrices that are split for products on tensor cores, as the kernels take them (cuda/split.h).
#pragma once

#include <algorithm>

#include "base/round.h"
#include "kernels/matmul/tile_shapes.h"
#include "kernels_library/matrix.h"

namespace warpwright {

struct Source {
  const float* data = nullptr;
  uint16_t* parts = nullptr;
  int* largest = nullptr;
  int* raised = nullptr;
  int stride = 0, by_columns = 0, fours = 0, rows = 0, columns = 0, pitch = 0, scanned = 8;
};
struct Sources {
  Source of[2];
  unsigned* counts = nullptr;
  int count_of_counts = 0;
};

/// A matrix as its parts, of which it has `count`.
inline Source source(const Matrix<const float>& m, int64_t count, Parts& workspace) {
  const bool by_columns = m.layout == Layout::by_columns;
  const int64_t pitch = ww::kernels::pitch_of(m.columns);
  return {m.data,
          workspace.take<uint16_t>(count * m.rows * pitch),
          nullptr,
          nullptr,
          static_cast<int>(m.stride),
          by_columns,
          aligned_rows(m),
          static_cast<int>(m.rows),
          static_cast<int>(m.columns),
          static_cast<int>(pitch)};
}

// Rows of a tile that is split; of one that is scanned at most and at least; and of a matrix whose columns
// are raised so many tiles one below the other at most, which all give their largest to the same words.
constexpr int64_t kSplitTile = 4, kScanTile = 32, kFewRows = 8, kScanned = 64;

/// Blocks for a matrix; `height`: rows of a tile of one that lies by rows.
inline uint64_t tiles_of(const Source& s, int64_t height) {
  return static_cast<uint64_t>(s.by_columns ? divide_up(s.rows, 32) * divide_up(s.columns, 128)
                                            : divide_up(s.rows, height) * divide_up(s.columns, 1024));
}
/// For the first `count` matrices.
inline uint64_t split_tiles(const Sources& sources, uint32_t count) {
  uint64_t tiles = 0;
  for (uint32_t i = 0; i < count; ++i) tiles = std::max(tiles, tiles_of(sources.of[i], kSplitTile));
  return tiles;
}
/// The same where short rows share a block (threads_of_row in cuda/split.h).
inline uint64_t split_tiles_of_short_rows(const Sources& sources, uint32_t count) {
  uint64_t tiles = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const int64_t k = sources.of[i].columns, together = k > 512 ? 1 : k > 256 ? 2 : k > 128 ? 4 : 8;
    tiles = std::max(tiles, tiles_of(sources.of[i], kSplitTile * together));
  }
  return tiles;
}
/// The same for a scan. Its tiles are low where there are few of them.
inline uint64_t scan_tiles(Sources& sources, uint32_t count, int64_t multiprocessors) {
  uint64_t tiles = 0;
  for (uint32_t i = 0; i < count; ++i) {
    Source& s = sources.of[i];
    const bool few = tiles_of(s, kScanTile) < 4 * static_cast<uint64_t>(multiprocessors);
    const int64_t least = i == 0 ? kFewRows : ww::round_up(divide_up(s.rows, kScanned), kFewRows);
    s.scanned = static_cast<int>(few ? std::clamp(least, kFewRows, kScanTile) : kScanTile);
    tiles = std::max(tiles, tiles_of(s, s.scanned));
  }
  return tiles;
}

}  // namespace warpwright
