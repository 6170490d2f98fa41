// Fences, and what strong accesses release and acquire at a word.
#include <algorithm>

#include "checks/races/order.h"
#include "checks/races/words.h"

namespace ww::checks::races {

namespace {

constexpr u32 kAllLanes = ~0u;

}  // namespace

void Reads::add(const Read& r) {
  for (Read& own : latest_)
    if (own.log == r.log) {
      own.acquired = r.time > own.time ? r.acquired : own.acquired || r.acquired;
      own.time = std::max(own.time, r.time);
      return;
    }
  latest_[next_] = r;
  next_ = (next_ + 1) % kMost;
}

void Reads::add_acquired(const Reads& other) {
  for (u32 k = 0; k < kMost; ++k) {
    Read r = other.latest_[(other.next_ + k) % kMost];  // the oldest first
    r.acquired = true;
    if (r.log) add(r);
  }
}

bool Reads::has(const Log& log, bool acquired) const {
  return std::any_of(latest_.begin(), latest_.end(), [&](const Read& r) {
    return r.log == log.number() && r.time >= log.time() && (r.acquired || !acquired);
  });
}

void LaneOrder::learn(const Clock& what, u64 at, bool swapped) {
  if (at == kSeveral) {
    through = kNowhere;
  } else if (at != through) {
    // A lock that it takes inside of another one's critical section hides that.
    if (swapped || through == kNowhere)
      through = at, elsewhere = knows.more;
    else
      elsewhere.join(what);
  }
  knows.more.join(what);
}

bool Order::has_read_all(u64 word, const BlockOrder& b, u32 warp, u32 lane) const {
  const auto found = words_.find(word);
  if (found == words_.end()) return false;
  const LaneOrder& me = b.warps[warp].of(lane);
  for (u32 s = 0; s < kScopes; ++s) {
    if (!is_for(found->second, s, b)) continue;
    if (!me.reads.has(found->second.logs[s], false)) return false;
  }
  return true;
}

void Order::fence(const events::Fence& e, Scope scope) {
  BlockOrder& b = block(e.block);
  WarpOrder& w = b.warps[e.warp];
  const auto order = [&](LaneOrder& lane) {
    for (u32 s = 0; s <= scope; ++s) {
      if (!lane.seen[s].empty()) lane.learn(lane.seen[s], lane.seen_at, lane.seen_swapped);
      lane.seen[s] = {};
    }
    for (u32 s = 0; s <= scope; ++s) lane.fenced[s] = {b.floor, w.floor, w.now, lane.knows.more};
    if (scope == kGpu) lane.seen_at = LaneOrder::kNowhere, lane.seen_swapped = false;
  };
  if (w.lanes.size() == 1 && e.mask == w.all) {
    w.apart = true;
    order(w.lanes[0]);
  } else {
    for (u32 m = e.mask; m; m &= m - 1) order(own(w, static_cast<u32>(__builtin_ctz(m))));
  }
  new_segment(b, e.warp);
}

Order::Word& Order::word_of(u64 word, BlockOrder& b) {
  const auto [at, fresh] = words_.try_emplace(word);
  if (fresh && (word & kSharedKey)) b.words.push_back(word);
  return at->second;
}

Log& Order::log(Word& at, Scope level, const BlockOrder& b) {
  Log& log = at.logs[level];
  bool begins = log.empty();
  if (level != kGpu) {
    const u32 owner = level == kCta ? b.number : b.cluster;
    begins |= at.owner[level] != owner;
    at.owner[level] = owner;
  }
  if (begins) log = Log(++logs_);
  return log;
}

void Order::strong_read(u64 word, BlockOrder& b, u32 warp, u32 lane, Scope scope, bool acquires, bool swaps) {
  const auto at = words_.find(word);
  if (at == words_.end()) return;
  for (u32 s = 0; s <= scope; ++s) {
    if (!is_for(at->second, s, b)) continue;
    const Log& log = at->second.logs[s];
    const Clock& all = log.all();
    const LaneOrder& known = b.warps[warp].of(lane);
    // Warps that wait for a word find the same there again and again.
    if (known.reads.has(log, acquires)) continue;
    LaneOrder& me = own(b.warps[warp], lane);
    if (acquires) {
      me.learn(all, word, swaps);
    } else {
      me.seen[s].join(all);
      me.seen_at = me.seen_at == LaneOrder::kNowhere || me.seen_at == word ? word : LaneOrder::kSeveral;
      me.seen_swapped |= swaps;
    }
    me.reads.add({log.number(), log.time(), acquires});
    me.took = swaps;
  }
}

bool Order::strong_write(u64 word, BlockOrder& b, u32 warp, u32 lane, Scope scope, bool releases,
                         bool fresh) {
  const WarpOrder& w = b.warps[warp];
  bool released = false;
  const auto found = words_.find(word);
  Word* at = found == words_.end() ? nullptr : &found->second;
  if (!releases && !w.apart && (!fresh || !at)) return false;
  for (u32 s = 0; s < kScopes; ++s) {
    const Known what = releases ? now(b, w, lane) : w.of(lane).fenced[s];
    // A plain store begins anew, unless its thread passes on all that was there.
    if (fresh && at && !at->logs[s].empty() && !what.more.includes(at->logs[s].all())) at->logs[s] = Log();
    if (s > scope || what.empty()) continue;
    if (!at) at = &word_of(word, b);
    Log& to = log(*at, static_cast<Scope>(s), b);
    to.append(what.more);
    to.append(Entry{b.number, kAnyWarp, kAllLanes, what.block});
    if (what.warp > what.block) to.append(Entry{b.number, warp, kAllLanes, what.warp});
    if (what.lane > what.block && what.lane > what.warp)
      to.append(Entry{b.number, warp, 1u << lane, what.lane});
    released = true;
  }
  return released;
}

Clock Order::all_of(const BlockOrder& b, u32 warp, u32 lanes) const {
  const WarpOrder& w = b.warps[warp];
  Union sum;
  gather(sum, b, warp, lanes);
  Clock c;
  c.add(Entry{b.number, kAnyWarp, kAllLanes, b.floor});
  c.add(Entry{b.number, warp, kAllLanes, w.floor});
  c.add(Entry{b.number, warp, lanes, w.now});
  c.join(sum.knows);
  return c;
}

void Order::learn(BlockOrder& b, u32 warp, u32 lanes, const Clock& what) {
  WarpOrder& w = b.warps[warp];
  if (w.lanes.size() == 1 && lanes == w.all) {
    w.apart = true;
    w.lanes[0].knows.more.join(what);
  } else {
    for (u32 m = lanes; m; m &= m - 1) own(w, static_cast<u32>(__builtin_ctz(m))).knows.more.join(what);
  }
  new_segment(b, warp);
}

void Order::release_all(u64 word, BlockOrder& b, u32 warp, u32 lanes, Scope scope) {
  const Clock c = all_of(b, warp, lanes);
  for (u32 s = 0; s <= scope; ++s) log(word_of(word, b), static_cast<Scope>(s), b).append(c);
  new_segment(b, warp);
}

void Order::release_entry(u64 word, const Entry& e, BlockOrder& b, Scope scope) {
  for (u32 s = 0; s <= scope; ++s) log(word_of(word, b), static_cast<Scope>(s), b).append(e);
}

}  // namespace ww::checks::races
