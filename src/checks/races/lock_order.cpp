#include "checks/races/lock_order.h"

#include <algorithm>

namespace ww::checks::races {

void LockOrder::takes(const Holder& t, u64 word, u64 was, u32 instruction, const BlockOrder& block) {
  if (none_) return;
  const auto [at, fresh] = words_.try_emplace(word);
  Word& w = at->second;
  if (fresh) w.free = was;
  if (w.held && w.by == t) return changes(t, word);
  if (w.held || w.free != was) {
    none_ = true;
    return;
  }
  w.held = true, w.by = t;
  std::vector<Taken>& held = held_[key(t)];
  Taken taken{word, instruction, {}, {}};
  for (Taken& before : held) {
    u32& known = pairs_[{before.word, word}];
    if (known >= kMostOfPair || steps_.size() >= kMostSteps) continue;
    ++known;
    Step s;
    s.by = t, s.from = before.word, s.to = word, s.from_at = before.instruction, s.to_at = instruction;
    for (const Taken& h : held) s.held.push_back(h.word);
    s.knows = order_.all_of(block, t.warp, 1u << t.lane);
    s.segment = block.warps[t.warp].now;
    before.from.push_back(steps_.size());
    taken.to.push_back(steps_.size());
    steps_.push_back(std::move(s));
  }
  held.push_back(std::move(taken));
}

void LockOrder::changes(const Holder& t, u64 word) {
  const auto at = words_.find(word);
  if (none_ || at == words_.end()) return;
  Word& w = at->second;
  if (!w.held || !(w.by == t)) {
    none_ = true;
    return;
  }
  w.held = false;
  std::vector<Taken>& held = held_[key(t)];
  const auto mine = std::find_if(held.begin(), held.end(), [&](const Taken& k) { return k.word == word; });
  for (const size_t k : mine->from) steps_[k].gave_from = true;
  for (const size_t k : mine->to) steps_[k].gave_to = true;
  held.erase(mine);
}

bool LockOrder::may_follow(const Ring& ring, const Step& next) const {
  return std::all_of(ring.begin(), ring.end(), [&](const Step* s) {
    if (s->by == next.by) return false;
    for (const u64 word : s->held)
      if (std::find(next.held.begin(), next.held.end(), word) != next.held.end()) return false;
    const auto before = [&](const Step& one, const Step& other) {
      return other.knows.covers(static_cast<u32>(one.by.block), one.by.warp, one.by.lane, one.segment);
    };
    return !before(*s, next) && !before(next, *s);
  });
}

void LockOrder::extend(Ring& ring, u32& tried, std::set<std::set<std::pair<u32, u32>>>& known,
                       std::vector<Ring>& found) const {
  const auto [begin, end] = from_.equal_range(ring.back()->to);
  for (auto at = begin; at != end && tried < kMostTried; ++at) {
    const Step& next = *at->second;
    ++tried;
    // Each ring begins with the first of its steps.
    if (&next <= ring.front() || !may_follow(ring, next)) continue;
    ring.push_back(&next);
    if (next.to == ring.front()->from) {
      std::set<std::pair<u32, u32>> where;
      for (const Step* s : ring) where.emplace(s->from_at, s->to_at);
      if (known.insert(std::move(where)).second) found.push_back(ring);
    } else if (ring.size() < kLongest) {
      extend(ring, tried, known, found);
    }
    ring.pop_back();
  }
}

std::vector<LockOrder::Ring> LockOrder::rings() const {
  std::vector<Ring> found;
  if (none_) return found;
  from_.clear();
  for (const Step& s : steps_)
    if (s.gave_from && s.gave_to) from_.emplace(s.from, &s);
  std::set<std::set<std::pair<u32, u32>>> known;
  u32 tried = 0;
  for (const Step& s : steps_) {
    if (!s.gave_from || !s.gave_to) continue;
    Ring ring = {&s};
    extend(ring, tried, known, found);
  }
  return found;
}

}  // namespace ww::checks::races
