// What box_sum/bulk_rows.h and rows_first.h are made of, for its kernels and those who launch them.
#pragma once

constexpr int kBulkRows = 8;       ///< of a chunk
constexpr int kBulkBuffers = 3;    ///< chunks of columns' sums under way
constexpr int kBulkGroups = 2;     ///< of 8 warps that add up rows, chunk by chunk in turn
constexpr int kBulkColumns = 512;  ///< of a block, at most: two a thread
/// Warps for rows, one for the results, warps for columns: at most.
constexpr int kBulkRowsThreads = 256 * kBulkGroups + 32 + kBulkColumns / 2;

/// What box_sum/rows_first.h is compiled for.
struct RowsFirstForm {
  int lane;     ///< columns of a lane along the rows
  int chunk;    ///< rows of sums that are added up together
  int rows;     ///< that a warp has at a time
  int warps;    ///< that add up rows
  int columns;  ///< of the sums that a thread adds up
  bool any;     ///< rows of `in` begin and end at any word

  /// Outputs of a block at most.
  constexpr int most() const { return chunk == 8 ? 256 : 192; }
  /// For `width` outputs: whole warps.
  constexpr int threads(int width) const {
    return 32 * (warps + (width + 32 * columns - 1) / (32 * columns));
  }
};
constexpr RowsFirstForm kRowsFirst12{12, 8, 1, 16, 2, false}, kRowsFirst20{20, 8, 1, 16, 2, false},
    kRowsFirstDeep{12, 16, 1, 16, 2, false}, kRowsFirstDeepest{12, 16, 1, 16, 1, false};
constexpr RowsFirstForm kAnyRows12{12, 8, 1, 16, 1, true}, kAnyRows20{20, 8, 2, 8, 1, true},
    kAnyRows28{28, 8, 2, 8, 1, true};
