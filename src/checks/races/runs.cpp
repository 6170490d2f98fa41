#include "checks/races/runs.h"

namespace ww::checks::races {

void find_runs(Runs& runs, u32 mask, u32 bytes, const int64_t* offsets) {
  runs.mask = mask;
  runs.bytes = bytes;
  runs.count = 0;
  for (u32 m = mask; m; m &= m - 1) {
    const u32 lane = static_cast<u32>(__builtin_ctz(m));
    if (runs.count) {
      Run& r = runs.run[runs.count - 1];
      const int64_t distance = offsets[lane] - r.offset;
      if (distance == 0 && (r.one_place || r.lanes == 1)) {
        r.one_place = true;
        r.lanes = static_cast<u8>(lane - r.lane + 1);
        continue;
      }
      if (!r.one_place && lane == u32{r.lane} + r.lanes && distance == int64_t{r.lanes} * bytes) {
        ++r.lanes;
        continue;
      }
    }
    runs.run[runs.count++] = {offsets[lane], static_cast<u8>(lane), 1, false};
  }
}

}  // namespace ww::checks::races
