// Neighbouring words that neighbouring lanes access.
#pragma once

#include "checks/races/shadow.h"

namespace ww::checks::races {

/// Lanes whose accesses lie one behind the other, or in one place.
struct Run {
  int64_t offset = 0;  ///< of its first lane's address, from the access's first
  u8 lane = 0;         ///< the first
  u8 lanes = 1;        ///< how many; where all are in one place: up to the last
  bool one_place = false;
};
struct Runs {
  u64 serial = 0;  ///< of the pattern of addresses they belong to
  u32 mask = 0, bytes = 0;
  u32 count = 0;
  Run run[32];
};
/// `bytes`: of each lane's access.
void find_runs(Runs& runs, u32 mask, u32 bytes, const int64_t* offsets);

}  // namespace ww::checks::races
