#include "checks/races/clock.h"

#include <algorithm>

namespace ww::checks::races {

bool Clock::covers(u32 block, u32 warp, u32 lane, Segment s) const {
  for (const Entry& e : entries)
    if (e.covers(block, warp, lane, s)) return true;
  for (const Reach& r : reaches)
    if (r.log->covers(block, warp, lane, s, r.length)) return true;
  return false;
}

void Clock::add(const Entry& e) {
  if (!e.until || !e.lanes) return;
  for (Entry& own : entries) {
    if (own.block != e.block || (own.warp != e.warp && own.warp != kAnyWarp)) continue;
    if (own.until >= e.until && (own.warp == kAnyWarp || (e.lanes & ~own.lanes) == 0)) return;
    if (own.warp == e.warp && own.until <= e.until && (own.lanes & ~e.lanes) == 0) {
      own = e;
      return;
    }
    if (own.warp == e.warp && own.until == e.until) {
      own.lanes |= e.lanes;
      return;
    }
  }
  entries.push_back(e);
}

void Clock::add(const Reach& r) {
  if (!r.length) return;
  for (Reach& own : reaches) {
    if (own.log == r.log) {
      own.length = std::max(own.length, r.length);
      return;
    }
    if (own.log->includes(r)) return;
  }
  std::erase_if(reaches, [&](const Reach& own) { return r.log->includes(own); });
  reaches.push_back(r);
}

void Clock::join(const Clock& other) {
  for (const Entry& e : other.entries) add(e);
  for (const Reach& r : other.reaches) add(r);
}

SharedClock joined(const SharedClock& a, const SharedClock& b) {
  if (!b || b->empty() || a == b) return a;
  if (!a || a->empty()) return b;
  auto sum = std::make_shared<Clock>(*a);
  sum->join(*b);
  return sum;
}

void Log::append(const Entry& e, Segment now) {
  if (!e.until || !e.lanes) return;
  auto& positions = of_block_[e.block];
  for (size_t k = positions.size(), tries = 0; k-- > 0 && tries < 4; ++tries) {
    const Entry& own = entries_[positions[k]].entry;
    if (own.until >= e.until && (own.warp == kAnyWarp || (own.warp == e.warp && (e.lanes & ~own.lanes) == 0)))
      return;
  }
  positions.push_back(length());
  entries_.push_back({e, now});
}

void Log::append(const Clock& clock, Segment now) {
  for (const Entry& e : clock.entries) append(e, now);
  for (const Reach& r : clock.reaches) {
    if (r.log == this) continue;
    u32& have = included_[r.log];
    for (; have < r.length; ++have) {
      const Entry e = r.log->entries_[have].entry;
      append(e, now);
    }
  }
}

bool Log::covers(u32 block, u32 warp, u32 lane, Segment s, u32 length) const {
  const auto found = of_block_.find(block);
  if (found == of_block_.end()) return false;
  const auto& positions = found->second;
  auto at = std::lower_bound(positions.begin(), positions.end(), length);
  while (at != positions.begin()) {
    const Stamped& e = entries_[*--at];
    if (e.at < s) return false;
    if (e.entry.covers(block, warp, lane, s)) return true;
  }
  return false;
}

bool Log::includes(const Reach& r) const {
  if (r.log == this) return false;
  const auto found = included_.find(r.log);
  return found != included_.end() && found->second >= r.length;
}

}  // namespace ww::checks::races
