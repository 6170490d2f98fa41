#include <algorithm>
#include <bit>

#include "rules/rules.h"

namespace ww::rules {

Cost constant_cost(Capability cc, const Access& a) {
  // One pass for each distinct address (1.x: of each half-warp); CUDA C programming guide, "Constant Memory".
  Cost c;
  c.requests = 1;
  c.threads = static_cast<u64>(std::popcount(a.mask));
  c.bytes = c.threads * a.bytes;
  const auto passes = [](const Access& lanes) {
    Access start = lanes;  // a wide access of one lane is one address
    start.bytes = std::min<u32>(4, lanes.bytes);
    return distinct_pieces(start, 4);
  };
  if (cc < 20) {
    for (u32 half : kHalfWarps) {
      const u32 n = passes(part(a, half));
      c.wavefronts += n;
      c.conflicts += n > 0 ? n - 1 : 0;
    }
  } else {
    c.wavefronts = passes(a);
    c.conflicts = c.wavefronts - 1;
  }
  c.transactions = c.wavefronts;
  return c;
}

}  // namespace ww::rules
