// What box_sum/bulk_rows.h and rows_first.h are made of, for its kernels and those who launch them.
#pragma once

constexpr int kBulkRows = 8;       ///< of a chunk
constexpr int kBulkBuffers = 3;    ///< chunks of columns' sums under way
constexpr int kBulkGroups = 2;     ///< of 8 warps that add up rows, chunk by chunk in turn
constexpr int kBulkColumns = 512;  ///< of a block, at most: two a thread
/// Warps for rows, one for the results, warps for columns: at most.
constexpr int kBulkRowsThreads = 256 * kBulkGroups + 32 + kBulkColumns / 2;

constexpr int kRowsFirstWarps = 16;  ///< for rows, of a block of box_sum/rows_first.h
/// Outputs of such a block at most, and its threads: 64 columns have a warp. `chunk`: rows of sums that are
/// added up together.
constexpr int rows_first_columns(int chunk) { return chunk == 8 ? 256 : 192; }
constexpr int rows_first_threads(int chunk) { return 32 * kRowsFirstWarps + rows_first_columns(chunk) / 2; }
