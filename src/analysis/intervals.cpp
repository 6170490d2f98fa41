#include "analysis/intervals.h"

#include <algorithm>

#include "analysis/liveness.h"
#include "analysis/uses.h"

namespace ww::analysis {

std::vector<Interval> intervals_of(const ir::Function& f) {
  Liveness live = liveness_of(f);
  std::vector<Interval> intervals(f.registers.size());
  uint32_t at = 0;
  auto cover = [&](ir::RegId r) {
    intervals[r].first = std::min(intervals[r].first, at);
    intervals[r].last = std::max(intervals[r].last, at);
  };
  auto cover_all = [&](const RegisterSet& set) {
    for (ir::RegId r = 0; r < f.registers.size(); ++r)
      if (set.has(r)) cover(r);
  };
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b) {
    cover_all(live.in[b]);
    for (const auto& in : f.blocks[b].instructions) {
      each_use(f, in, cover);
      each_definition(f, in, cover);
      ++at;
    }
    if (!f.blocks[b].instructions.empty()) --at;  // what is live at the end is so at the last instruction
    cover_all(live.out[b]);
    if (!f.blocks[b].instructions.empty()) ++at;
  }
  return intervals;
}

}  // namespace ww::analysis
