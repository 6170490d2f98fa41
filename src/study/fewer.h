// The counters that are lower in one row than in another.
#pragma once

#include <cstddef>
#include <vector>

#include "base/table.h"

namespace ww::study {

inline constexpr size_t kMostDifferences = 3;
inline constexpr double kWorthSaying = 1.2;  ///< times less

struct Less {
  const Value *less, *more;
  double ratio;
};

/// Counters of which the best row has less than the other, where less is no worse; the largest ratio first,
/// one for each unit, kMostDifferences at most. The values are those of the rows.
std::vector<Less> differences(const Row& best, const Row& other);

}  // namespace ww::study
