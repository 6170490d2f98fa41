#include "caches/sectored_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ww::caches {

SectoredCache::SectoredCache(uint64_t bytes, uint32_t ways)
    : ways_(ways), sets_(std::max<uint64_t>(1, bytes / kLineBytes / ways)), lines_(sets_ * ways + 8) {
  while (reinterpret_cast<uintptr_t>(&lines_[first_]) % 64 != 0) ++first_;
}

SectoredCache::Outcome SectoredCache::touch(uint64_t line, uint32_t sectors, uint32_t modified,
                                            uint64_t now) {
  Entry* set = set_of(line);
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
  }
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

uint64_t SectoredCache::modified() const {
  uint64_t sum = 0;
  for (Entry e : lines_) sum += static_cast<uint64_t>(std::popcount(e >> 4 & kWholeLine));
  return sum;
}

}  // namespace ww::caches
