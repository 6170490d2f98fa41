#include "checks/races/intervals.h"

#include <algorithm>
#include <limits>

namespace ww::checks::races {

namespace {

constexpr Segment kFurthest = std::numeric_limits<uint16_t>::max();

}  // namespace

bool Intervals::lies_alike(Pattern& p, const events::Memory& e) {
  if (p.mask != e.mask) return false;
  if (e.serial && e.serial == p.serial) return true;
  int64_t differs = 0;
  for (u32 lane = 0; lane < p.offsets.size(); ++lane)
    differs |= (p.offsets[lane] ^ e.offsets[lane]) & -static_cast<int64_t>(e.mask >> lane & 1);
  if (differs) return false;
  if (e.serial) p.serial = e.serial;
  return true;
}

bool Intervals::same(const Access& a, const events::Memory& e, const WarpOrder& w, Segment floor) {
  if (a.first != e.first || a.warp != e.warp || a.now != w.now - floor || a.floor != w.floor - floor)
    return false;
  const Step& s = steps_[a.step];
  const events::Memory& like = events_[s.event];
  return like.instruction == e.instruction && like.bytes == e.bytes && s.mask == e.mask &&
         lies_alike(patterns_[s.pattern], e);
}

std::optional<u32> Intervals::step_of(const events::Memory& e) {
  const auto is = [&](u32 n) {
    const Step& s = steps_[n];
    const events::Memory& like = events_[s.event];
    return like.instruction == e.instruction && like.bytes == e.bytes && s.mask == e.mask &&
           lies_alike(patterns_[s.pattern], e);
  };
  // Mostly the step behind the one before.
  const u32 count = static_cast<u32>(steps_.size());
  for (u32 k = 1; k <= count; ++k)
    if (const u32 n = (latest_step_ + k) % count; is(n)) return latest_step_ = n;
  if (count == kMostSteps) return {};
  const auto event = std::find_if(events_.begin(), events_.end(), [&](const events::Memory& m) {
    return m.instruction == e.instruction && m.bytes == e.bytes;
  });
  auto pattern = std::find_if(patterns_.begin(), patterns_.end(), [&](Pattern& p) {
    return e.serial && e.serial == p.serial && e.mask == p.mask;
  });
  const Step s{static_cast<u32>(event - events_.begin()), e.mask,
               static_cast<u32>(pattern - patterns_.begin())};
  if (event == events_.end()) {
    events::Memory& like = events_.emplace_back(e);
    like.serial = 0, like.state = nullptr, like.values = nullptr, like.offsets = nullptr;
  }
  if (pattern == patterns_.end()) {
    if (patterns_.size() == kMostPatterns) return {};
    Pattern& p = patterns_.emplace_back();
    p.serial = e.serial, p.mask = e.mask;
    std::copy(e.offsets, e.offsets + p.offsets.size(), p.offsets.begin());
  }
  steps_.push_back(s);
  return latest_step_ = count;
}

void Intervals::begin(Position& p, const events::Memory& e, const WarpOrder& w) {
  p.at = 0;
  const auto begins = [&](u32 list) { return same(lists_[list].accesses[0], e, w, p.floor); };
  u32& next = next_of(p.before);
  if (next == kNone || !begins(next)) {
    u32 n = 0;
    while (n < lists_.size() && !begins(n)) ++n;
    if (n == lists_.size()) {
      p.how = Position::How::Keeps;
      p.kept.clear();
      ++began_anew_;
      return;
    }
    next = n;
  }
  p.how = Position::How::Follows;
  p.list = next;
}

bool Intervals::goes_on(Position& p, const events::Memory& e, const WarpOrder& w) {
  const auto fits = [&](const List& l) { return p.at < l.size() && same(l[p.at], e, w, p.floor); };
  const List& own = lists_[p.list].accesses;
  if (!fits(own)) {
    const auto other = std::find_if(lists_.begin(), lists_.end(), [&](const Known& k) {
      return fits(k.accesses) && std::equal(own.begin(), own.begin() + p.at, k.accesses.begin());
    });
    if (other == lists_.end()) {
      ++began_anew_;
      return false;
    }
    next_of(p.before) = p.list = static_cast<u32>(other - lists_.begin());
  }
  ++p.at;
  return true;
}

void Intervals::keep(Position& p, const events::Memory& e, const WarpOrder& w) {
  const Segment now = w.now - p.floor, floor = w.floor - p.floor;
  if (p.kept.size() == kMostOfList) began_anew_ += kOfLong;
  const bool room = p.kept.size() < kMostOfList && now <= kFurthest && floor <= kFurthest;
  const std::optional<u32> step = room ? step_of(e) : std::nullopt;
  if (!step) {
    p.how = Position::How::Looked;
    p.kept.clear();
    return;
  }
  p.kept.push_back({static_cast<u32>(e.first), static_cast<uint16_t>(*step), static_cast<uint16_t>(e.warp),
                    static_cast<uint16_t>(now), static_cast<uint16_t>(floor)});
}

void Intervals::end(Position& p, bool clean) {
  u32 list = kNone;
  if (p.how == Position::How::Follows) {
    list = p.list;
    ++followed_;
  } else if (p.how == Position::How::Keeps && clean && lists_.size() < kMostLists &&
             accesses_ + p.kept.size() <= kMostAccesses) {
    list = static_cast<u32>(lists_.size());
    accesses_ += static_cast<u32>(p.kept.size());
    lists_.push_back({{p.kept.begin(), p.kept.end()}, kNone});
    next_of(p.before) = list;
  }
  if (p.how != Position::How::NotBegun) p.before = list;
  p.how = Position::How::NotBegun;
}

events::Memory Intervals::event(const Access& a) const {
  const Step& s = steps_[a.step];
  events::Memory e = events_[s.event];
  e.warp = a.warp;
  e.mask = s.mask;
  e.first = a.first;
  e.offsets = patterns_[s.pattern].offsets.data();
  return e;
}

}  // namespace ww::checks::races
