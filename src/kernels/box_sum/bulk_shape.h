// What box_sum/bulk_rows.h, rows_first.h and small_windows.h are made of, for its kernels and those who
// launch them.
#pragma once

constexpr int kBulkRows = 8;       ///< of a chunk
constexpr int kBulkBuffers = 3;    ///< chunks of columns' sums under way
constexpr int kBulkGroups = 2;     ///< of 8 warps that add up rows, chunk by chunk in turn
constexpr int kBulkColumns = 512;  ///< of a block, at most: two a thread
/// Warps for rows, one for the results, warps for columns: at most.
constexpr int kBulkRowsThreads = 256 * kBulkGroups + 32 + kBulkColumns / 2;

constexpr int kSector = 8;  ///< words of 32 bytes, of which L2 takes whole ones faster
/// Words of which rows in shared memory are multiples where whole sectors are stored: 2 % faster than 8.
constexpr int kSectorsPitch = 32;
constexpr int kAnyRadius = -1;
/// What box_sum/rows_first.h is compiled for.
struct RowsFirstForm {
  int lane;              ///< columns of a lane along the rows
  int chunk;             ///< rows of sums that are added up together
  int rows;              ///< that a warp has at a time
  int warps;             ///< that add up rows
  int columns;           ///< of the sums that a thread adds up
  int held;              ///< chunks that a thread holds in registers
  int longs;             ///< windows along rows by long_windows.h, up to this radius (kAnyRadius: any); 0: by
                         ///< windows_along.h
  bool any;              ///< rows of `in` begin at any word
  int parts = 1;         ///< into which a lane's columns are cut
  bool sectors = false;  ///< whole sectors of results are stored, wherever rows of `out` begin

  /// Columns that the lanes of a row have.
  constexpr int across() const { return 32 / rows * lane; }
  /// Outputs of a block at most; more of long windows take longer (docs/appendix/rungs.md).
  constexpr int most() const {
    if (longs == 0) return 256;
    return lane == 20 && longs != kAnyRadius ? 160 : 128;
  }
  /// Results of a row that a warp stores.
  constexpr int own() const { return 32 * columns - (sectors ? kSector : 0); }
  /// For `width` outputs: whole warps.
  constexpr int threads(int width) const { return 32 * (warps + (width + own() - 1) / own()); }
};
constexpr RowsFirstForm kRowsFirst12{12, 8, 1, 16, 2, 1, 0, false},
    kRowsFirst20{20, 8, 1, 16, 2, 1, 0, false}, kSectors10{20, 8, 2, 8, 2, 1, 0, false, 2, true},
    kSectors20{20, 8, 2, 8, 2, 1, 0, false, 1, true}, kLongRows36{36, 16, 8, 4, 1, 4, 128, false},
    kLongRows20{20, 16, 4, 8, 1, 4, 128, false}, kLongerRows{20, 16, 4, 8, 1, 4, kAnyRadius, false};
constexpr RowsFirstForm kAnyRows6{12, 8, 1, 16, 1, 1, 0, true, 2}, kAnyRows12{12, 8, 1, 16, 1, 1, 0, true},
    kAnyRows20{20, 8, 2, 8, 1, 1, 0, true}, kAnyRows28{28, 8, 2, 8, 1, 1, 0, true},
    kAnyLongRows{36, 16, 8, 4, 1, 4, 128, true}, kAnyLongerRows{36, 16, 8, 4, 1, 4, kAnyRadius, true};

/// Outputs of a row that a warp of small_windows.h has, in lanes of V columns: its results begin and end
/// where sectors do, up to 8 − STEP columns behind the first.
template <int R, int V, int STEP = V>
constexpr int kSmallOwn = (32 * V - 2 * R - (8 - STEP)) / 8 * 8;

/// Threads of a block of small_windows_of_four.h, and the rows that a warp of those in which registers leave
/// room for few has on their way to shared memory.
constexpr int kSmallFours = 64, kSmallAhead = 16;
