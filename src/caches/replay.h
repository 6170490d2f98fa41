// Replays the recorded requests of a grid's blocks through the caches of a GPU, in the order and concurrency
// in which that GPU runs them.
#pragma once

#include <optional>

#include "caches/setup.h"
#include "caches/trace.h"
#include "caches/trace_digest.h"

namespace ww::caches {

using engine::u32;
using engine::u64;

/// The requests of a grid's blocks. Several threads may ask at once.
class GridTrace {
 public:
  virtual ~GridTrace() = default;
  virtual u64 blocks() const = 0;  ///< of the grid
  /// The block's requests; shape is null where they are not known.
  virtual BlockTrace block(u64 number) const = 0;
  /// Of two grids with equal digests, all replays give the same. Nothing where it is not cheap to tell.
  virtual std::optional<TraceDigest> digest() const { return {}; }
};

struct Replay {
  CacheCounts counts;  ///< of the blocks that were replayed
  CacheCounts
      late;  ///< of these, since the caches had filled: what the blocks that were not replayed will be like
  u64 blocks = 0;           ///< replayed
  bool whole = false;       ///< these are all, with all their requests
  u64 modified_at_end = 0;  ///< sectors that were in L2, modified, behind the last block
};

/// Blocks are dealt to the SMs as their layout says until all hold `resident`; where one ends the next
/// begins. An SM serves one request at a time, at the setup's pace: of its oldest block that has one, or who
/// asked first. A warp waits for its answers round by round, and for the others where it did when the block
/// was recorded. No further blocks begin once `budget` lines have been looked up and two rounds of resident
/// blocks have begun; or one, and four times as many lines.
///
/// Of a long grid that will not be replayed whole, the first blocks are on their way already, as far apart as
/// in its middle: evenly where the oldest block goes first and an SM cannot serve all (an H200 needs two
/// rounds for that: data/measured/h200-l2/pace.csv); else by this part of a block's time more with each
/// round. Chosen, not derived: of five forms of drift tried on the DRAM reads of the GTX 1080's tiles this
/// one came nearest; one number for all kernels and GPUs (docs/counters.md, docs/accuracy.md).
inline constexpr double kDrift = 0.01;

Replay replay(const GridTrace& grid, const CacheSetup& setup, u64 budget);

}  // namespace ww::caches
