// Over which stretch of a function each register's value is needed.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace ww::analysis {

/// From instruction `first` to `last`, both included, numbered through all blocks in order. A register that
/// is never used has first > last. Conservative: no holes.
struct Interval {
  uint32_t first = ~0u, last = 0;
};

std::vector<Interval> intervals_of(const ir::Function& function);

}  // namespace ww::analysis
