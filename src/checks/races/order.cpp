#include "checks/races/order.h"

#include <algorithm>

#include "checks/races/words.h"

namespace ww::checks::races {

namespace {

constexpr u32 kLanes = 32;
constexpr u32 kAll = ~0u;

}  // namespace

void Owners::add(u32 block, u32 warp) {
  const u32 k = count_++;
  const bool fits = [&] {
    if (runs_.empty()) return false;
    Run& run = runs_.back();
    if (run.block != block) return false;
    if (run.warp(k) == warp) return true;
    if (run.warps || run.warp(run.begin) != warp) return false;
    run.warps = static_cast<u8>(k - run.begin);
    return true;
  }();
  if (!fits) runs_.push_back({k, block, warp == kLoneWarp ? kLone : static_cast<u8>(warp), 0});
  if (k % kPiece == 0) first_run_.push_back(static_cast<u32>(runs_.size() - 1));
}

void Owners::find(size_t k) const {
  auto run = runs_.begin() + first_run_[k / kPiece];
  auto next = run + 1;
  for (; next != runs_.end() && next->begin <= k; ++next) run = next;
  latest_ = *run;
  latest_count_ = (next == runs_.end() ? count_ : next->begin) - run->begin;
}

void Order::begin_launch(u32 threads) {
  old_ = newest_;
  threads_ = threads;
  owners_.clear();
  blocks_.clear();
  last_ = nullptr;
  words_.clear();
}

void Order::join_launch(u32 threads) {
  threads_ = threads;
  blocks_.clear();
  last_ = nullptr;
  // Shared memory, and the barriers of clusters, have gone with their blocks.
  std::erase_if(words_, [](const auto& w) { return (w.first & (kSharedKey | kClusterKey)) != 0; });
}

Segment Order::segment(u32 block, u32 warp) {
  owners_.add(block, warp);
  return ++newest_;
}

BlockOrder& Order::begin_block(u64 number, u32 cluster, const Clock& start) {
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
    warp.apart = !start.empty();
    warp.lanes.assign(1, {});
    warp.lanes[0].knows.more = start;
  }
  for (auto& barrier : b->barriers) barrier.clear(), barrier.met.clear();
  last_ = b.get();
  return *b;
}

void Order::end_block(u64 number, bool alone) {
  auto at = blocks_.find(static_cast<u32>(number));
  if (at == blocks_.end()) return;
  if (alone)
    for (const u64 word : at->second->words) words_.erase(word);
  at->second->words.clear();
  if (last_ == at->second.get()) last_ = nullptr;
  spare_.push_back(std::move(at->second));
  blocks_.erase(at);
}

bool Order::before(Segment s, u32 of_lane, const BlockOrder& b, u32 warp, u32 lane) const {
  if (s <= old_) return true;
  if (s > newest_) return false;
  const Owner who = owner(s);
  const WarpOrder& w = b.warps[warp];
  if (who.block == b.number) {
    if (s <= b.floor && who.warp != kLoneWarp) return true;
    if (who.warp == warp && (of_lane == lane || s <= w.floor)) return true;
  }
  if (!w.apart) return false;
  return covers(w.of(lane).knows.more, s, of_lane);
}

bool Order::before_but_for_a_fence(Segment s, u32 of_lane, const BlockOrder& b, u32 warp, u32 lane) const {
  if (s <= old_ || s > newest_) return false;
  const auto& seen = b.warps[warp].of(lane).seen;
  return std::any_of(seen.begin(), seen.end(), [&](const Clock& c) { return covers(c, s, of_lane); });
}

bool Order::only_through(u64 word, Segment s, u32 of_lane, const BlockOrder& b, u32 warp, u32 lane) const {
  if (s <= old_ || s > newest_) return false;
  const Owner who = owner(s);
  const WarpOrder& w = b.warps[warp];
  if (who.block == b.number && (s <= b.floor || (who.warp == warp && (of_lane == lane || s <= w.floor))))
    return false;
  const LaneOrder& me = w.of(lane);
  return me.through == word && covers(me.knows.more, s, of_lane) && !covers(me.elsewhere, s, of_lane);
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
  to.join(k.more);
}

void Order::gather(Union& sum, const BlockOrder& b, u32 warp, u32 lanes) const {
  const WarpOrder& w = b.warps[warp];
  if (!w.apart) return;
  const bool one = w.lanes.size() == 1;
  for (u32 m = lanes; m; m &= m - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(m));
    const LaneOrder& lane = w.of(l);
    sum.knows.join(lane.knows.more);
    for (const Clock& seen : lane.seen) sum.knows.join(seen);
    sum.reads.add_acquired(lane.reads);
    for (u32 s = 0; s < kScopes; ++s) add(sum.fenced[s], lane.fenced[s], b, warp, one ? lanes : 1u << l);
    if (one) break;
  }
}

// ---- barriers ----

const BlockOrder::Barrier::Met* Order::unordered_group(const BlockOrder& b,
                                                       const BlockOrder::Barrier& barrier,
                                                       const events::BarrierArrival& e) const {
  if (e.expected == 0 || e.expected >= threads_) return nullptr;
  const BlockOrder::Barrier::Met* waited = nullptr;
  for (const auto& m : barrier.met) {
    if (m.warp == e.warp) return nullptr;
    if (!m.waited) continue;
    if (before(m.since, m.lane, b, e.warp, first_lane(e.mask))) return nullptr;
    waited = &m;
  }
  return waited;
}

std::optional<BlockOrder::Barrier::Met> Order::arrive(const events::BarrierArrival& e) {
  BlockOrder& b = block(e.block);
  auto& barrier = b.barrier(e.barrier);
  std::optional<BlockOrder::Barrier::Met> other;
  if (const auto* m = unordered_group(b, barrier, e)) other = *m;
  barrier.expected = e.expected;
  (e.waits ? barrier.waiting : barrier.went_on).push_back({e.warp, e.mask, e.instruction});
  if (e.waits) return other;
  barrier.any_gone = true;
  const WarpOrder& w = b.warps[e.warp];
  barrier.gone.add(Entry{b.number, e.warp, e.mask, w.now});
  barrier.gone.add(Entry{b.number, e.warp, kAll, w.floor});
  Union sum;
  gather(sum, b, e.warp, e.mask);
  barrier.gone.join(sum.knows);
  for (u32 s = 0; s < kScopes; ++s) barrier.gone_fenced[s].join(sum.fenced[s]);
  new_segment(b, e.warp);
  return other;
}

void Order::release(const events::BarrierRelease& e) {
  BlockOrder& b = block(e.block);
  auto& barrier = b.barrier(e.barrier);
  u32 threads = 0;
  for (const auto& c : barrier.waiting) threads += static_cast<u32>(__builtin_popcount(c.lanes));
  // Without a count it has waited for all threads that live; those that ended count as arrived.
  if (!barrier.any_gone && (barrier.expected == 0 || threads == threads_))
    full_barrier(b);
  else
    partial_barrier(b, barrier);
  barrier.met.clear();
  if (barrier.expected != 0 && barrier.expected < threads_) {
    for (const auto& c : barrier.waiting)
      barrier.met.push_back({c.warp, first_lane(c.lanes), c.instruction, true, b.warps[c.warp].now});
    for (const auto& c : barrier.went_on)
      barrier.met.push_back({c.warp, first_lane(c.lanes), c.instruction, false, 0});
  }
  barrier.clear();
}

void Order::full_barrier(BlockOrder& b) {
  bool apart = false;
  for (const WarpOrder& w : b.warps) apart |= w.apart;
  Union sum;
  if (apart)
    for (u32 w = 0; w < b.warps.size(); ++w) gather(sum, b, w, b.warps[w].all);
  b.floor = newest_;
  // All know by now what the block did; of other threads' fences its own part still counts.
  const Clock knows = sum.knows.without(b.number);
  for (u32 k = 0; k < b.warps.size(); ++k) {
    WarpOrder& w = b.warps[k];
    w.floor = b.floor;
    new_segment(b, k);
    if (!apart) continue;
    w.lanes.resize(1);
    LaneOrder& all = w.lanes[0];
    all = {};
    all.knows_together(knows, sum.reads);
    w.apart = !knows.empty();
    for (u32 s = 0; s < kScopes; ++s) {
      all.fenced[s].more = sum.fenced[s];
      w.apart |= !sum.fenced[s].empty();
    }
  }
}

void Order::partial_barrier(BlockOrder& b, BlockOrder::Barrier& barrier) {
  Clock knows = barrier.gone;
  Reads reads;
  std::array<Clock, kScopes> fenced = barrier.gone_fenced;
  for (const auto& c : barrier.waiting) {
    const WarpOrder& w = b.warps[c.warp];
    knows.add(Entry{b.number, c.warp, c.lanes, w.now});
    knows.add(Entry{b.number, c.warp, kAll, w.floor});
    Union sum;
    gather(sum, b, c.warp, c.lanes);
    knows.join(sum.knows);
    reads.add_acquired(sum.reads);
    for (u32 s = 0; s < kScopes; ++s) fenced[s].join(sum.fenced[s]);
  }
  for (const auto& c : barrier.waiting) {
    WarpOrder& w = b.warps[c.warp];
    const auto learn = [&](LaneOrder& lane) {
      lane.knows_together(knows, reads);
      for (u32 s = 0; s < kScopes; ++s) lane.fenced[s].more.join(fenced[s]);
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
    if (group == w.all) {
      w.floor = w.now;
      w.lanes.resize(1);
    } else {
      sum.knows.add(Entry{b.number, e.warp, group, w.now});
    }
    const auto learn = [&](LaneOrder& lane) {
      lane.knows_together(sum.knows, sum.reads);
      for (u32 s = 0; s < kScopes; ++s) {
        lane.fenced[s] = {};
        lane.fenced[s].more = sum.fenced[s];
      }
    };
    if (group == w.all) {
      learn(w.lanes[0]);
      w.apart = !sum.knows.empty();
      for (const Clock& f : sum.fenced) w.apart |= !f.empty();
    } else {
      for (u32 m = group; m; m &= m - 1) learn(own(w, static_cast<u32>(__builtin_ctz(m))));
    }
  }
  new_segment(b, e.warp);
}

void Order::done_for_all(const events::Site& e, u32 lane) {
  BlockOrder& b = block(e.block);
  WarpOrder& w = b.warps[e.warp];
  const Entry what{b.number, e.warp, 1u << lane, w.now};
  if (w.lanes.size() == 1 && e.mask == w.all) {
    w.apart = true;
    w.lanes[0].knows.more.add(what);
  } else {
    for (u32 m = e.mask; m; m &= m - 1) own(w, static_cast<u32>(__builtin_ctz(m))).knows.more.add(what);
  }
  new_segment(b, e.warp);
}

}  // namespace ww::checks::races
