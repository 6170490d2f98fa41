// How fast a kernel's warps go from one request to the next on a GPU.
#pragma once

namespace ww::caches {

/// Of one kernel in one launch, in clocks of an SM. As it is, every request is answered at once.
struct Pace {
  double request = 1;         ///< of the SM's busiest station for one request and the work that goes with it
  double round_loads = 1;     ///< loads that a warp has under way at once
  double round_own = 0;       ///< what a warp takes by itself from one round of loads to the next
  double begin = 0;           ///< from the end of a block until its successor begins
  double begin_interval = 0;  ///< between the begins of the first blocks

  double l1 = 0, l2 = 0, dram = 0;  ///< latencies of a load that hits in L1, in L2, nowhere
  double l2_spread = 0;    ///< by which the nearest and the farthest SM of a cluster differ from the mean
  double port_sector = 0;  ///< of an SM's port to L2, for a sector that is read
  double dram_sector = 0;  ///< of all the memory together

  /// Whether an SM serves its oldest block first (7.0 and later), or who asked first.
  bool oldest_first = false;

  /// Whether the resident warps ask for all that an SM can do, so that some of them must stand back.
  bool saturates(double warps) const {
    return warps * round_loads * request > l2 + round_own + round_loads * request;
  }
  bool operator==(const Pace&) const = default;
};

}  // namespace ww::caches
