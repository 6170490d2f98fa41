#include "caches/sectored_cache.h"

#include <algorithm>

namespace ww::caches {

SectoredCache::SectoredCache(uint64_t bytes, uint32_t ways) : ways_(ways) { reset(bytes); }

void SectoredCache::reset(uint64_t bytes) {
  for (Entry* set : used_) std::fill_n(set, ways_, 0);
  used_.clear();
  modified_ = 0;
  sets_ = std::max<uint64_t>(1, bytes / kLineBytes / ways_);
  if (lines_.size() >= sets_ * ways_ + 8) return;
  lines_.assign(sets_ * ways_ + 8, 0);
  sets_begin_ = lines_.data();
  while (reinterpret_cast<uintptr_t>(sets_begin_) % 64 != 0) ++sets_begin_;
}

bool SectoredCache::bring_forward(Entry* set, Entry tag, Entry& entry) {
  if (set[0] == 0) used_.push_back(set);
  entry = set[0];
  for (uint32_t k = 1; k < ways_; ++k) {
    std::swap(entry, set[k]);
    if ((entry & kTag) == tag) return true;
  }
  return false;
}

uint32_t SectoredCache::write_through(uint64_t line, uint32_t sectors) {
  const Entry* set = set_at(place_of(line));
  const Entry tag = tag_of(line);
  for (uint32_t k = 0; k < ways_; ++k)
    if ((set[k] & kTag) == tag) return static_cast<uint32_t>(set[k]) & sectors;
  return 0;
}

}  // namespace ww::caches
