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
  // Entries of a warp have no lane in common, so that there are never more than its lanes.
  u32 lanes = e.until ? e.lanes : 0;
  Entry* same = nullptr;
  bool emptied = false;
  for (Entry& own : entries) {
    if (!lanes) return;
    if (own.block != e.block || (own.warp != e.warp && own.warp != kAnyWarp && e.warp != kAnyWarp)) continue;
    if (own.warp == kAnyWarp) {
      if (own.until >= e.until) return;
      if (e.warp == kAnyWarp) own.lanes = 0, emptied = true;
    } else if (own.until > e.until) {
      if (e.warp != kAnyWarp) lanes &= ~own.lanes;
    } else if (own.until == e.until && own.warp == e.warp) {
      same = &own;
    } else {
      if (e.warp == kAnyWarp)
        own.lanes = 0;
      else
        own.lanes &= ~lanes;
      emptied |= own.lanes == 0;
    }
  }
  if (!lanes) return;
  if (same)
    same->lanes |= lanes;
  else
    entries.push_back({e.block, e.warp, lanes, e.until});
  if (emptied) std::erase_if(entries, [](const Entry& own) { return own.lanes == 0; });
}

void Clock::add(const Reach& r) {
  if (!r.length) return;
  for (Reach& own : reaches)
    if (own.log == r.log) {
      own.length = std::max(own.length, r.length);
      return;
    }
  if (reaches.size() > kCompared) {
    reaches.push_back(r);
    return;
  }
  for (const Reach& own : reaches)
    if (own.log->includes(r, own.length)) return;
  std::erase_if(reaches, [&](const Reach& own) { return r.log->includes(own, r.length); });
  reaches.push_back(r);
}

void Clock::join(const Clock& other) {
  for (const Entry& e : other.entries) add(e);
  if (reaches.empty())
    reaches = other.reaches;  // which say no more than they must already
  else
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
  OfBlock& of = of_block_[e.block];
  if (of.all >= e.until) return;
  u32 lanes = e.lanes;
  if (e.warp == kAnyWarp) {
    of.all = e.until;
  } else {
    auto& known = of.warps[e.warp];
    for (u32 m = lanes; m; m &= m - 1) {
      const auto lane = static_cast<u32>(__builtin_ctz(m));
      if (known[lane] >= e.until)
        lanes &= ~(1u << lane);
      else
        known[lane] = e.until;
    }
    if (!lanes) return;
  }
  of.positions.push_back(length());
  entries_.push_back({{e.block, e.warp, lanes, e.until}, now});
}

void Log::append(const Clock& clock, Segment now) {
  for (const Entry& e : clock.entries) append(e, now);
  for (const Reach& r : clock.reaches) {
    if (r.log == this) continue;
    auto& included = included_[r.log];
    const u32 have = included.empty() ? 0 : included.back().have;
    if (have >= r.length) continue;
    for (const Entry& e : r.log->newest(have, r.length)) append(e, now);
    included.push_back({r.length, length()});
  }
}

std::vector<Entry> Log::newest(u32 from, u32 to) const {
  constexpr u32 kFew = 8;
  std::vector<Entry> list;
  std::unordered_map<u64, u32> met;  // lanes, by block and warp
  for (u32 k = to; k-- > from;) {
    Entry e = entries_[k].entry;
    if (to - from > kFew) {
      u32& later = met[u64{e.block} << 32 | e.warp];
      e.lanes &= ~later;
      later |= e.lanes;
      if (!e.lanes) continue;
    }
    list.push_back(e);
  }
  std::reverse(list.begin(), list.end());
  return list;
}

bool Log::covers(u32 block, u32 warp, u32 lane, Segment s, u32 length) const {
  const auto found = of_block_.find(block);
  if (found == of_block_.end()) return false;
  const auto& positions = found->second.positions;
  auto at = std::lower_bound(positions.begin(), positions.end(), length);
  while (at != positions.begin()) {
    const Stamped& e = entries_[*--at];
    if (e.at < s) return false;
    if (e.entry.covers(block, warp, lane, s)) return true;
  }
  return false;
}

std::vector<Entry> Log::latest(u32 block, u32 length) const {
  std::vector<Entry> list;
  std::unordered_map<u32, u32> open;  // lanes of each warp that were not met yet
  for (const auto& [warp, known] : of_block_.at(block).warps)
    for (u32 lane = 0; lane < known.size(); ++lane) open[warp] |= u32{known[lane] > 0} << lane;
  size_t warps = open.size();
  bool all = false;
  for (u32 k = length; k > 0 && warps > 0; --k) {
    Entry e = entries_[k - 1].entry;
    if (e.warp == kAnyWarp) {
      if (!all) list.push_back(e);
      all = true;  // what came before it may say more of single lanes
      continue;
    }
    u32& left = open[e.warp];
    e.lanes &= left;
    left &= ~e.lanes;
    if (e.lanes) list.push_back(e);
    warps -= e.lanes && !left;
  }
  // Of all threads of the block only the newest entry counts.
  if (!all)
    for (u32 k = length; k > 0; --k)
      if (entries_[k - 1].entry.warp == kAnyWarp) {
        list.push_back(entries_[k - 1].entry);
        break;
      }
  return list;
}

void Log::clear() {
  entries_ = {};
  of_block_ = {};
  included_ = {};
}

bool Log::includes(const Reach& r, u32 length) const {
  if (r.log == this) return false;
  const auto found = included_.find(r.log);
  if (found == included_.end()) return false;
  const auto& included = found->second;
  const auto at = std::lower_bound(included.begin(), included.end(), r.length,
                                   [](const Included& i, u32 have) { return i.have < have; });
  return at != included.end() && at->position <= length;
}

}  // namespace ww::checks::races
