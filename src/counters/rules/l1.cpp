// Passes of global accesses through L1's data banks.
#include <algorithm>
#include <bit>
#include <vector>

#include "counters/rules/rules.h"

namespace ww::counters {

namespace {

/// Lines that L1 looks up at once (H200: data/measured/h200-l1/wavefronts.csv; further lookups where the hash
/// of the lines meets are not modelled).
constexpr size_t kTagsAtOnce = 4;

/// Passes through the data banks for lanes that are served together: those of each four lines, in the order
/// of the lanes, one after another.
u64 by_lines(const Access& group) {
  std::vector<int64_t> lines;
  std::vector<u32> lanes;  // of each kTagsAtOnce lines
  for (u32 m = group.mask; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const int64_t line = group.address[static_cast<size_t>(lane)] >> 7;
    const size_t at = static_cast<size_t>(std::find(lines.begin(), lines.end(), line) - lines.begin());
    if (at == lines.size()) lines.push_back(line);
    if (at / kTagsAtOnce == lanes.size()) lanes.push_back(0);
    lanes[at / kTagsAtOnce] |= u32{1} << lane;
  }
  u64 passes = 0;
  for (u32 mask : lanes) passes += bank_degree(part(group, mask));
  return passes;
}

}  // namespace

u64 l1_wavefronts(Capability cc, const Access& a, const Cost& c, bool store) {
  if (cc < 20) return 0;
  if (cc < 30) return std::max(c.lines, u64{1});
  if (cc < 70 || store) return shared_cost(cc, a, store).wavefronts;
  u64 passes = 0;
  for (u32 lanes : lane_groups(cc, a, true)) passes += by_lines(part(a, lanes));
  return passes;
}

}  // namespace ww::counters
