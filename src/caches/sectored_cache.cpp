#include "caches/sectored_cache.h"

#include <algorithm>
#include <cstring>

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

SectoredCache::Outcome SectoredCache::touch(uint64_t line, uint32_t sectors, uint32_t modified,
                                            uint64_t now) {
  Entry* set = set_of(line);
  if (set[0] == 0) used_.push_back(set);
  const uint64_t tag = (line + 1) << kTagBit;
  uint32_t k = 0;
  while (k < ways_ && (set[k] & kTag) != tag) ++k;
  Outcome out;
  Entry entry = tag;
  if (k < ways_) {
    entry = set[k];
    out.hits = static_cast<uint32_t>(entry) & sectors;
    out.arrival = {static_cast<uint32_t>(entry >> kTimeBit) % kTimes, (entry & kFar) != 0};
  } else {
    k = ways_ - 1;
    out.written = static_cast<uint32_t>(set[k] >> 4) & kWholeLine;
    if (out.written != 0) modified_ -= sector_count(out.written);
  }
  if (modified != 0) modified_ += sector_count(modified & ~static_cast<uint32_t>(entry >> 4));
  if (out.hits != sectors) entry = (entry & (kTag | kSectors)) | (now % kTimes) << kTimeBit;
  std::memmove(set + 1, set, k * sizeof *set);
  set[0] = entry | sectors | modified << 4;
  return out;
}

uint32_t SectoredCache::write_through(uint64_t line, uint32_t sectors) {
  const Entry* set = set_of(line);
  const uint64_t tag = (line + 1) << kTagBit;
  for (uint32_t k = 0; k < ways_; ++k)
    if ((set[k] & kTag) == tag) return static_cast<uint32_t>(set[k]) & sectors;
  return 0;
}

}  // namespace ww::caches
