// What a kernel moves to and from local memory when its values do not fit its registers.
#pragma once

#include <vector>

#include "passes/chains.h"

namespace ww::passes {

/// 32-bit words that each thread loads and stores in one pass of a stretch, and how many words of its local
/// memory that concerns.
struct Spill {
  double loads = 0, stores = 0, words = 0;
};

/// For `registers` per thread: where one is wanted and none is free, the value is put away whose next use is
/// farthest (Belady, A study of replacement algorithms, IBM Systems J. 5, 1966: no compiler can do with fewer
/// loads in that order). A stretch is taken to be a loop, in its steady state. Empty where everything fits.
std::vector<Spill> spills_of(const ir::Function& function, const std::vector<Stretch>& stretches, int sm,
                             int registers);

}  // namespace ww::passes
