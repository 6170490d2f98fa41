#include "checks/races/order.h"

#include <algorithm>

#include "checks/races/words.h"

namespace ww::checks::races {

namespace {

constexpr u32 kLanes = 32;
constexpr u32 kAll = ~0u;

bool has(const SharedClock& clock, const Reach& r) {
  if (!clock) return false;
  for (const Reach& own : clock->reaches)
    if (own.log == r.log && own.length >= r.length) return true;
  if (clock->reaches.size() > kCompared) return false;
  for (const Reach& own : clock->reaches)
    if (own.log->includes(r, own.length)) return true;
  return false;
}

/// The clock with one more reach.
SharedClock with(const SharedClock& clock, const Reach& r) {
  auto sum = clock ? std::make_shared<Clock>(*clock) : std::make_shared<Clock>();
  sum->add(r);
  return sum;
}

SharedClock shared(Clock&& clock) {
  return clock.empty() ? nullptr : std::make_shared<const Clock>(std::move(clock));
}

void join(Clock& to, const SharedClock& clock) {
  if (clock) to.join(*clock);
}

}  // namespace

void Order::begin_launch(u32 threads) {
  old_ = newest_;
  threads_ = threads;
  owners_.clear();
  blocks_.clear();
  last_ = nullptr;
  words_.clear();
  logs_.clear();
  for (Answer& a : answers_) a = {};
}

void Order::end_launch() { begin_launch(0); }

Segment Order::segment(u32 block, u32 warp) {
  owners_.push_back({block, warp});
  return ++newest_;
}

BlockOrder& Order::begin_block(u64 number, u32 cluster) {
  if (spare_.empty()) spare_.push_back(std::make_unique<BlockOrder>());
  auto& b = blocks_[static_cast<u32>(number)];
  b = std::move(spare_.back());
  spare_.pop_back();
  b->number = static_cast<u32>(number);
  b->cluster = cluster;
  b->floor = newest_;
  b->warps.resize((threads_ + kLanes - 1) / kLanes);
  for (u32 w = 0; w < b->warps.size(); ++w) {
    WarpOrder& warp = b->warps[w];
    const u32 left = threads_ - w * kLanes;
    warp.all = left >= kLanes ? kAll : (1u << left) - 1;
    warp.floor = b->floor;
    warp.now = segment(b->number, w);
    warp.apart = false;
    warp.lanes.assign(1, {});
  }
  for (auto& barrier : b->barriers) barrier = {};
  last_ = b.get();
  return *b;
}

void Order::end_block(u64 number, bool alone) {
  auto at = blocks_.find(static_cast<u32>(number));
  if (at == blocks_.end()) return;
  // Other blocks know what this one's shared memory passed on only as entries of other logs.
  for (const u64 word : at->second->words) {
    const auto known = alone ? words_.find(word) : words_.end();
    if (known == words_.end()) continue;
    for (Log* log : known->second.logs)
      if (log) log->clear();
    words_.erase(known);
  }
  at->second->words.clear();
  if (last_ == at->second.get()) last_ = nullptr;
  spare_.push_back(std::move(at->second));
  blocks_.erase(at);
}

bool Order::before(Segment s, u32 of_lane, const BlockOrder& b, u32 warp, u32 lane) const {
  if (s <= old_) return true;
  if (s > newest_) return false;
  const Owner& who = owner(s);
  const WarpOrder& w = b.warps[warp];
  if (who.block == b.number) {
    if (s <= b.floor && who.warp != kLoneWarp) return true;
    if (who.warp == warp && (of_lane == lane || s <= w.floor)) return true;
  }
  if (!w.apart) return false;
  const auto& more = w.of(lane).knows.more;
  return more && covers(more, s, of_lane);
}

bool Order::covers(const SharedClock& clock, Segment s, u32 of_lane) const {
  const Owner& who = owner(s);
  if (clock->reaches.empty()) return clock->covers(who.block, who.warp, of_lane, s);
  const auto address = reinterpret_cast<uintptr_t>(clock.get());
  Answer& a = answers_[(address / 64 * 31 + s * 7 + of_lane) % kAnswers];
  if (a.clock == clock && a.segment == s && a.lane == of_lane) return a.covered;
  a = {clock, s, of_lane, clock->covers(who.block, who.warp, of_lane, s)};
  return a.covered;
}

bool Order::before_but_for_a_fence(Segment s, u32 of_lane, const BlockOrder& b, u32 warp, u32 lane) const {
  if (s <= old_ || s > newest_) return false;
  const Owner& who = owner(s);
  for (const auto& seen : b.warps[warp].of(lane).seen)
    if (seen && seen->covers(who.block, who.warp, of_lane, s)) return true;
  return false;
}

bool Order::only_through(u64 word, Segment s, u32 of_lane, const BlockOrder& b, u32 warp, u32 lane) const {
  if (s <= old_ || s > newest_) return false;
  const Owner& who = owner(s);
  const WarpOrder& w = b.warps[warp];
  if (who.block == b.number && (s <= b.floor || (who.warp == warp && (of_lane == lane || s <= w.floor))))
    return false;
  const auto found = words_.find(word);
  const auto& more = w.of(lane).knows.more;
  if (found == words_.end() || !more) return false;
  for (const Entry& e : more->entries)
    if (e.covers(who.block, who.warp, of_lane, s)) return false;
  bool through = false;
  for (const Reach& r : more->reaches) {
    if (!r.log->covers(who.block, who.warp, of_lane, s, r.length)) continue;
    const auto& logs = found->second.logs;
    if (std::find(logs.begin(), logs.end(), r.log) == logs.end()) return false;
    through = true;
  }
  return through;
}

bool Order::has_read_all(u64 word, const BlockOrder& b, u32 warp, u32 lane) const {
  const auto found = words_.find(word);
  if (found == words_.end()) return false;
  const LaneOrder& me = b.warps[warp].of(lane);
  for (u32 s = 0; s < kScopes; ++s) {
    const Log* log = found->second.logs[s];
    if (!log || !log->length()) continue;
    if (s != kGpu && found->second.owner[s] != (s == kCta ? b.number : b.cluster)) continue;
    const Reach all{log, log->length()};
    if (!has(me.knows.more, all) && !has(me.seen[s], all)) return false;
  }
  return true;
}

void Order::new_segment(BlockOrder& b, u32 warp) { b.warps[warp].now = segment(b.number, warp); }

LaneOrder& Order::own(WarpOrder& w, u32 lane) {
  w.apart = true;
  if (w.lanes.size() == 1 && w.all != 1) {
    const LaneOrder common = w.lanes[0];
    w.lanes.assign(kLanes, common);
  }
  return w.lanes.size() == 1 ? w.lanes[0] : w.lanes[lane];
}

Known Order::now(const BlockOrder& b, const WarpOrder& w, u32 lane) const {
  return {b.floor, w.floor, w.now, w.of(lane).knows.more};
}

void Order::add(Clock& to, const Known& k, const BlockOrder& b, u32 warp, u32 lanes) const {
  to.add(Entry{b.number, kAnyWarp, kAll, k.block});
  if (k.warp > k.block) to.add(Entry{b.number, warp, kAll, k.warp});
  if (k.lane > k.block && k.lane > k.warp) to.add(Entry{b.number, warp, lanes, k.lane});
  if (k.more) to.join(*k.more);
}

void Order::gather(Union& sum, const BlockOrder& b, u32 warp, u32 lanes) const {
  const WarpOrder& w = b.warps[warp];
  if (!w.apart) return;
  const bool one = w.lanes.size() == 1;
  for (u32 m = lanes; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(m));
    const LaneOrder& lane = w.of(l);
    sum.knows.add(lane.knows.more);
    for (const auto& seen : lane.seen) sum.knows.add(seen);
    for (u32 s = 0; s < kScopes; ++s) {
      const Known& f = lane.fenced[s];
      sum.fenced[s].add(f.more);
      Known plain = f;
      plain.more = nullptr;
      if (plain.empty()) continue;
      Clock c;
      add(c, plain, b, warp, one ? lanes : 1u << l);
      sum.fenced[s].add(std::move(c));
    }
    if (one) break;
  }
}

// ---- barriers ----

void Order::arrive(const events::BarrierArrival& e) {
  BlockOrder& b = block(e.block);
  auto& barrier = b.barriers[e.barrier];
  barrier.expected = e.expected;
  if (e.waits) {
    barrier.waiting.push_back({e.warp, e.mask});
    return;
  }
  barrier.any_gone = true;
  const WarpOrder& w = b.warps[e.warp];
  barrier.gone.add(Entry{b.number, e.warp, e.mask, w.now});
  barrier.gone.add(Entry{b.number, e.warp, kAll, w.floor});
  Union sum;
  gather(sum, b, e.warp, e.mask);
  join(barrier.gone, sum.knows.all());
  for (u32 s = 0; s < kScopes; ++s) join(barrier.gone_fenced[s], sum.fenced[s].all());
  new_segment(b, e.warp);
}

void Order::release(const events::BarrierRelease& e) {
  BlockOrder& b = block(e.block);
  auto& barrier = b.barriers[e.barrier];
  u32 threads = 0;
  for (const auto& c : barrier.waiting) threads += static_cast<u32>(__builtin_popcount(c.lanes));
  // Without a count it has waited for all threads that live; those that ended count as arrived.
  if (!barrier.any_gone && (barrier.expected == 0 || threads == threads_))
    full_barrier(b);
  else
    partial_barrier(b, barrier);
  barrier = {};
}

void Order::full_barrier(BlockOrder& b) {
  bool apart = false;
  for (const WarpOrder& w : b.warps) apart |= w.apart;
  Union sum;
  if (apart)
    for (u32 w = 0; w < b.warps.size(); ++w) gather(sum, b, w, b.warps[w].all);
  b.floor = newest_;
  // All know by now what the block did; of other threads' fences its own part still counts.
  const SharedClock knows = sum.knows.all_but(b.number);
  std::array<SharedClock, kScopes> fenced;
  for (u32 s = 0; s < kScopes; ++s) fenced[s] = sum.fenced[s].all_with_entries_of(b.number);
  for (u32 k = 0; k < b.warps.size(); ++k) {
    WarpOrder& w = b.warps[k];
    w.floor = b.floor;
    new_segment(b, k);
    if (!apart) continue;
    w.lanes.resize(1);
    LaneOrder& all = w.lanes[0];
    all = {};
    all.knows.more = knows;
    w.apart = knows != nullptr;
    for (u32 s = 0; s < kScopes; ++s) {
      all.fenced[s].more = fenced[s];
      w.apart |= fenced[s] != nullptr;
    }
  }
}

void Order::partial_barrier(BlockOrder& b, BlockOrder::Barrier& barrier) {
  Clock knows = barrier.gone;
  std::array<Clock, kScopes> fenced = barrier.gone_fenced;
  for (const auto& c : barrier.waiting) {
    const WarpOrder& w = b.warps[c.warp];
    knows.add(Entry{b.number, c.warp, c.lanes, w.now});
    knows.add(Entry{b.number, c.warp, kAll, w.floor});
    Union sum;
    gather(sum, b, c.warp, c.lanes);
    join(knows, sum.knows.all());
    for (u32 s = 0; s < kScopes; ++s) join(fenced[s], sum.fenced[s].all());
  }
  std::erase_if(knows.entries, [&](const Entry& e) { return e.block == b.number && e.until <= b.floor; });
  const SharedClock all = shared(std::move(knows));
  std::array<SharedClock, kScopes> all_fenced;
  for (u32 s = 0; s < kScopes; ++s) all_fenced[s] = shared(std::move(fenced[s]));
  for (const auto& c : barrier.waiting) {
    WarpOrder& w = b.warps[c.warp];
    const auto learn = [&](LaneOrder& lane) {
      lane.knows.more = all;
      lane.seen = {};
      for (u32 s = 0; s < kScopes; ++s)
        if (all_fenced[s]) lane.fenced[s].more = joined(lane.fenced[s].more, all_fenced[s]);
    };
    if (w.lanes.size() == 1 && c.lanes == w.all) {
      w.apart = true;
      learn(w.lanes[0]);
    } else {
      for (u32 m = c.lanes; m; m &= m - 1) learn(own(w, static_cast<u32>(__builtin_ctz(m))));
    }
    if (c.lanes == w.all) w.floor = w.now;
    new_segment(b, c.warp);
  }
}

void Order::warp_sync(const events::WarpSync& e, const u32* named) {
  BlockOrder& b = block(e.block);
  WarpOrder& w = b.warps[e.warp];
  for (u32 left = e.mask; left;) {
    const int first = __builtin_ctz(left);
    const u32 mask = named ? named[first] : e.members;
    u32 group = 0;
    for (u32 m = left; m; m &= m - 1)
      if (!named || named[__builtin_ctz(m)] == mask) group |= 1u << __builtin_ctz(m);
    group &= mask | 1u << first;
    left &= ~group;
    if (group == w.all && !w.apart) {
      w.floor = w.now;
      continue;
    }
    Union sum;
    gather(sum, b, e.warp, group);
    Clock knows;
    join(knows, sum.knows.all());
    std::array<SharedClock, kScopes> fenced;
    for (u32 s = 0; s < kScopes; ++s) fenced[s] = sum.fenced[s].all();
    if (group == w.all) {
      w.floor = w.now;
      w.lanes.resize(1);
    } else {
      std::erase_if(knows.entries, [&](const Entry& o) {
        return o.block == b.number && o.warp == e.warp && o.until <= w.floor;
      });
      knows.add(Entry{b.number, e.warp, group, w.now});
    }
    const SharedClock all = shared(std::move(knows));
    const auto learn = [&](LaneOrder& lane) {
      lane.knows.more = all;
      lane.seen = {};
      for (u32 s = 0; s < kScopes; ++s) {
        lane.fenced[s] = {};
        lane.fenced[s].more = fenced[s];
      }
    };
    if (group == w.all) {
      learn(w.lanes[0]);
      w.apart = all != nullptr;
      for (const auto& f : fenced) w.apart |= f != nullptr;
    } else {
      for (u32 m = group; m; m &= m - 1) learn(own(w, static_cast<u32>(__builtin_ctz(m))));
    }
  }
  new_segment(b, e.warp);
}

// ---- fences, releases and acquires ----

void Order::fence(const events::Fence& e, Scope scope) {
  BlockOrder& b = block(e.block);
  WarpOrder& w = b.warps[e.warp];
  const auto order = [&](LaneOrder& lane) {
    for (u32 s = 0; s <= scope; ++s)
      lane.knows.more = joined(lane.knows.more, lane.seen[s]), lane.seen[s] = nullptr;
    for (u32 s = 0; s <= scope; ++s) lane.fenced[s] = {b.floor, w.floor, w.now, lane.knows.more};
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
  if (level != kGpu) {
    const u32 owner = level == kCta ? b.number : b.cluster;
    if (at.owner[level] != owner) at.logs[level] = nullptr;
    at.owner[level] = owner;
  }
  if (!at.logs[level]) at.logs[level] = &logs_.emplace_back();
  return *at.logs[level];
}

void Order::strong_read(u64 word, BlockOrder& b, u32 warp, u32 lane, Scope scope, bool acquires, bool swaps) {
  const auto found = words_.find(word);
  if (found == words_.end()) return;
  const Word& at = found->second;
  for (u32 s = 0; s <= scope; ++s) {
    if (!at.logs[s] || !at.logs[s]->length()) continue;
    if (s != kGpu && at.owner[s] != (s == kCta ? b.number : b.cluster)) continue;
    const Reach r{at.logs[s], at.logs[s]->length()};
    const LaneOrder& known = b.warps[warp].of(lane);
    if (has(acquires ? known.knows.more : known.seen[s], r)) continue;
    LaneOrder& me = own(b.warps[warp], lane);
    SharedClock& to = acquires ? me.knows.more : me.seen[s];
    to = with(to, r);
    me.took = swaps;
  }
}

bool Order::strong_write(u64 word, BlockOrder& b, u32 warp, u32 lane, Scope scope, bool releases,
                         bool fresh) {
  WarpOrder& w = b.warps[warp];
  bool released = false;
  const auto found = words_.find(word);
  Word* at = found == words_.end() ? nullptr : &found->second;
  if (!releases && !w.apart && (!fresh || !at)) return false;
  for (u32 s = 0; s < kScopes; ++s) {
    if (fresh && at && at->logs[s]) {
      // A plain store begins anew, unless its thread passes on all that was there.
      Log*& old = at->logs[s];
      const SharedClock& more = releases ? w.of(lane).knows.more : w.of(lane).fenced[s].more;
      bool passes_on = false;
      if (more)
        for (const Reach& r : more->reaches) passes_on |= r.log == old && r.length == old->length();
      if (!passes_on) old = nullptr;
    }
    if (s > scope) continue;
    const Known what = releases ? now(b, w, lane) : w.of(lane).fenced[s];
    if (what.empty()) continue;
    if (!at) at = &word_of(word, b);
    Log& to = log(*at, static_cast<Scope>(s), b);
    // Not put together as a clock before: it may tell of very many words.
    to.append(Entry{b.number, kAnyWarp, kAll, what.block}, newest_);
    if (what.warp > what.block) to.append(Entry{b.number, warp, kAll, what.warp}, newest_);
    if (what.lane > what.block && what.lane > what.warp)
      to.append(Entry{b.number, warp, 1u << lane, what.lane}, newest_);
    if (what.more) to.append(*what.more, newest_);
    released = true;
  }
  return released;
}

void Order::release_all(u64 word, BlockOrder& b, u32 warp, u32 lanes, Scope scope) {
  const WarpOrder& w = b.warps[warp];
  Union sum;
  gather(sum, b, warp, lanes);
  Clock c;
  c.add(Entry{b.number, kAnyWarp, kAll, b.floor});
  c.add(Entry{b.number, warp, kAll, w.floor});
  c.add(Entry{b.number, warp, lanes, w.now});
  join(c, sum.knows.all());
  for (u32 s = 0; s <= scope; ++s) log(word_of(word, b), static_cast<Scope>(s), b).append(c, newest_);
  new_segment(b, warp);
}

void Order::release_entry(u64 word, const Entry& e, BlockOrder& b, Scope scope) {
  for (u32 s = 0; s <= scope; ++s) log(word_of(word, b), static_cast<Scope>(s), b).append(e, newest_);
}

}  // namespace ww::checks::races
