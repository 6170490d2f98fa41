// Atomics of global memory that wait for each other: those that change the same line.
#pragma once

#include "caches/replay.h"

namespace ww::caches {

/// Updates of memory that are looked at: a fraction of a second.
inline constexpr u64 kAtomicBudget = u64{1} << 23;

/// Passes through the line of global memory that the grid's atomics change most, one after another. A warp's
/// atomic takes in each sector as many passes as lanes meet in one of its words: L2 changes different words
/// of a sector at a time, and one word once (Nsight Compute counts a sector for each pass). The sectors of a
/// line take turns: 2048 warps with a line each, none of whose lanes meet, take as long as 8192 passes of one
/// sector (simt/atomic_global with k = 32 on an H200: data/measured/h200-spaces). Where only the first blocks
/// fit into `budget` lanes, they speak for the others: if the line gets more with each block, it goes on so.
/// 0: no atomics, or no block whose requests are known.
double busiest_atomic_line(const GridTrace& grid, u64 budget = kAtomicBudget);

}  // namespace ww::caches
