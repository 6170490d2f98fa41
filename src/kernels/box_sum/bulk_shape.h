// What box_sum/bulk_rows.h is made of, for its kernels and those who launch them.
#pragma once

constexpr int kBulkRows = 8;       ///< of a chunk
constexpr int kBulkBuffers = 3;    ///< chunks of columns' sums under way
constexpr int kBulkGroups = 2;     ///< of 8 warps that add up rows, chunk by chunk in turn
constexpr int kBulkColumns = 512;  ///< of a block, at most: two a thread
/// Warps for rows, one for the results, warps for columns: at most.
constexpr int kBulkRowsThreads = 256 * kBulkGroups + 32 + kBulkColumns / 2;
