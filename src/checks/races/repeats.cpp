// What a block does in shared memory as one before it did is not looked at, unless that becomes different.
#include <algorithm>

#include "checks/races.h"
#include "checks/races/words.h"

namespace ww::checks {

using How = races::Intervals::Position::How;

bool Races::repeats(const events::Memory& e, const races::BlockOrder& b, Place& p) {
  races::Intervals::Position& at = p.interval;
  if (at.how != How::NotBegun && at.floor != b.floor) interval_ends(p);
  if (at.how == How::Looked) return false;
  const races::WarpOrder& w = b.warps[e.warp];
  // Where the lanes know nothing but barriers, whether these accesses race follows from themselves.
  const bool plain = !w.apart && e.first < engine::kClusterStep && p.copying.empty() && !locks_.any();
  if (!plain || !intervals_.useful()) {
    look_closely(p, order_.block(b.number));
    return false;
  }
  if (at.how == How::NotBegun) {
    at.floor = b.floor;
    at.reports = reports_;
    intervals_.begin(at, e, w);
  }
  if (at.how == How::Follows) {
    if (intervals_.goes_on(at, e, w)) return true;
    const races::Intervals::List& list = intervals_.list(at.list);
    at.kept.assign(list.begin(), list.begin() + at.at);
    look_again(p, order_.block(b.number));
    at.how = How::Keeps;
  }
  intervals_.keep(at, e, w);
  return false;
}

void Races::look_from_now(Place& p, races::BlockOrder& b) {
  races::Intervals::Position& at = p.interval;
  if (at.how != How::NotBegun && at.floor != b.floor) interval_ends(p);
  if (at.how == How::Follows) look_again(p, b);
  at.how = How::Looked;
  at.floor = b.floor;
}

/// At the accesses of this interval that have been passed over, as they would have been looked at.
void Races::look_again(Place& p, races::BlockOrder& b) {
  const races::Intervals::List& list = intervals_.list(p.interval.list);
  for (u32 k = 0; k < p.interval.at; ++k) {
    events::Memory e = intervals_.event(list[k]);
    e.block = b.number;
    races::WarpOrder& w = b.warps[e.warp];
    const races::Segment now = w.now, floor = w.floor;
    const bool apart = w.apart;
    w.now = p.interval.floor + list[k].now, w.floor = p.interval.floor + list[k].floor, w.apart = false;
    Access a = access_of(e, kinds_[e.instruction]);
    touch_all(e, a);
    w.now = now, w.floor = floor, w.apart = apart;
  }
}

void Races::interval_ends(Place& p) { intervals_.end(p.interval, p.interval.reports == reports_); }

}  // namespace ww::checks
