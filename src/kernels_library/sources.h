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
/// For the first `count` matrices; short rows share a block (threads_of_row in cuda/split.h).
inline uint64_t split_tiles_of_short_rows(const Sources& sources, uint32_t count) {
  uint64_t tiles = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const int64_t k = sources.of[i].columns, together = k > 512 ? 1 : k > 256 ? 2 : k > 128 ? 4 : 8;
    tiles = std::max(tiles, tiles_of(sources.of[i], kSplitTile * together));
  }
  return tiles;
}
/// How many rows a tile has that is scanned: few where there are few of them.
inline int scanned_rows(const Source& s, int64_t least, int64_t multiprocessors) {
  const bool few = tiles_of(s, kScanTile) < 4 * static_cast<uint64_t>(multiprocessors);
  return static_cast<int>(few ? std::clamp(least, kFewRows, kScanTile) : kScanTile);
}
/// Of one whose columns are raised.
inline int scanned_rows_of_columns(const Source& s, int64_t multiprocessors) {
  return scanned_rows(s, ww::round_up(divide_up(s.rows, kScanned), kFewRows), multiprocessors);
}
/// The same for a scan.
inline uint64_t scan_tiles(Sources& sources, uint32_t count, int64_t multiprocessors) {
  uint64_t tiles = 0;
  for (uint32_t i = 0; i < count; ++i) {
    Source& s = sources.of[i];
    s.scanned =
        i == 0 ? scanned_rows(s, kFewRows, multiprocessors) : scanned_rows_of_columns(s, multiprocessors);
    tiles = std::max(tiles, tiles_of(s, s.scanned));
  }
  return tiles;
}
/// Blocks that scan a matrix that lies by columns, whose rows are raised (scan_turned in
/// cuda/split_karatsuba.h).
inline uint64_t scan_tiles_of_turned(Source& s, int64_t multiprocessors) {
  Source turned = s;
  turned.by_columns = 0, turned.rows = s.columns, turned.columns = s.rows;
  s.scanned = scanned_rows_of_columns(turned, multiprocessors);
  return tiles_of(turned, s.scanned);
}
/// Blocks that scan and split a matrix that lies by rows (threads_of_eights in cuda/split_karatsuba.h).
inline uint64_t blocks_of_rows(const Source& s) {
  const int64_t k = s.columns, rows = k > 1024 ? 1 : k > 512 ? 2 : k > 256 ? 4 : 8;
  return static_cast<uint64_t>(divide_up(int64_t{s.rows}, rows));
}

}  // namespace warpwright
