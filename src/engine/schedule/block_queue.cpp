#include "engine/schedule/block_queue.h"

#include <algorithm>

namespace ww::engine {

void BlockQueue::begin(u64 all, u64 share, int workers, bool in_order) {
  if (room_ < workers) parts_ = std::make_unique<Part[]>(static_cast<size_t>(workers)), room_ = workers;
  workers_ = workers;
  count_ = in_order ? 1 : workers;
  share_ = share;
  const u64 parts = static_cast<u64>(count_), each = all / parts, more = all % parts;
  u64 from = 0;
  for (u64 k = 0; k < static_cast<u64>(workers); ++k) {
    Part& part = parts_[k];
    part.ended.store(0, std::memory_order_relaxed);
    if (k >= parts) continue;
    part.next.store(from, std::memory_order_relaxed);
    part.end = from += each + (k < more);
  }
}

u64 BlockQueue::ended() const {
  u64 sum = 0;
  for (int k = 0; k < workers_; ++k)
    sum += parts_[static_cast<size_t>(k)].ended.load(std::memory_order_relaxed);
  return sum;
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
