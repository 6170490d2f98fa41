#include "engine/schedule/block_queue.h"

#include <algorithm>

namespace ww::engine {

void BlockQueue::begin(u64 all, u64 share, int parts) {
  if (room_ < parts) parts_ = std::make_unique<Part[]>(static_cast<size_t>(parts)), room_ = parts;
  count_ = parts;
  share_ = share;
  const u64 each = all / static_cast<u64>(parts), more = all % static_cast<u64>(parts);
  u64 from = 0;
  for (int k = 0; k < parts; ++k) {
    parts_[static_cast<size_t>(k)].next.store(from, std::memory_order_relaxed);
    parts_[static_cast<size_t>(k)].end = from += each + (static_cast<u64>(k) < more);
  }
}

std::pair<u64, u64> BlockQueue::take(int worker) {
  Part* part = &parts_[static_cast<size_t>(count_ > 1 ? worker : 0)];
  for (;;) {
    if (const auto run = take_from(*part); run.first < run.second) return run;
    Part* const begin = parts_.get();
    part = std::max_element(begin, begin + count_,
                            [](const Part& a, const Part& b) { return a.left() < b.left(); });
    if (part->left() == 0) return {0, 0};
  }
}

std::pair<u64, u64> BlockQueue::take_from(Part& part) const {
  if (part.left() == 0) return {0, 0};
  const u64 from = part.next.fetch_add(share_);
  return {from, std::max(from, std::min(from + share_, part.end))};
}

}  // namespace ww::engine
