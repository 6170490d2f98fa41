#include "caches/running.h"

#include <algorithm>
#include <bit>

namespace ww::caches {

Running::Running(BlockTrace trace, u64 slot, const Pace& pace, double begin)
    : shape_(trace.shape.get()), pace_(&pace), met_(begin), slot_(slot), trace_(std::move(trace)) {
  begin_phase(begin);
}

void Running::begin_phase(double at) {
  const auto& all = shape().segments;
  warps_.clear();
  while (warps_.empty() && segment_ < all.size())
    for (const u32 phase = all[segment_].phase; segment_ < all.size() && all[segment_].phase == phase;
         ++segment_)
      if (all[segment_].begin < all[segment_].end)
        warps_.push_back({all[segment_].begin, all[segment_].end, 0, 0, 0});
  ready_.assign(warps_.size(), at);
  left_ = warps_.size();
  earliest_ = pending_ = at;
  can_ = 0;
}

void Running::skip(double part) {
  const auto target = static_cast<size_t>(part * static_cast<double>(shape().events.size()));
  for (size_t done = 0;;) {
    size_t phase = 0;
    for (const Warp& w : warps_) phase += w.end - w.begin;
    if (done + phase > target || segment_ >= shape().segments.size()) {
      const double rest =
          phase == 0 ? 0 : static_cast<double>(target - std::min(target, done)) / static_cast<double>(phase);
      for (Warp& w : warps_)
        w.begin += std::min(w.end - w.begin - 1, static_cast<u32>(rest * (w.end - w.begin)));
      return;
    }
    done += phase;
    begin_phase(met_);
  }
}

/// Which warps can make a request at this time. More than 64, where warps have several turns, are looked at
/// each time.
void Running::look_for_ready(double now) {
  can_ = 0;
  pending_ = kNever;
  known_ = now;
  const size_t count = std::min<size_t>(ready_.size(), 64);
  for (size_t k = 0; k < count; ++k)
    if (ready_[k] <= now)
      can_ |= u64{1} << k;
    else
      pending_ = std::min(pending_, ready_[k]);
}

int Running::ready(double now) {
  if (earliest_ > now) return -1;
  if (now >= pending_ || now < known_) look_for_ready(now);
  if (can_ != 0) {
    earliest_ = now;
    return std::countr_zero(can_);
  }
  earliest_ = pending_;
  for (size_t k = 64; k < ready_.size(); ++k) {
    if (ready_[k] <= now) {
      earliest_ = now;
      return static_cast<int>(k);
    }
    earliest_ = std::min(earliest_, ready_[k]);
  }
  return -1;
}

const TraceEvent& Running::next(int warp, double now) {
  const auto k = static_cast<size_t>(warp);
  Warp& w = warps_[k];
  const TraceEvent& e = shape().events[w.begin++];
  if (shape().slots[e.slot].kind == rules::AccessKind::Load) w.loads += 1, ++w.awaited;
  if (round_full(w)) {
    ready_[k] = kNever;
    if (k < 64) can_ &= ~(u64{1} << k);
    if (w.awaited == 0) end_round(k, now);
  }
  return e;
}

void Running::answer(int warp, double at) {
  const auto k = static_cast<size_t>(warp);
  Warp& w = warps_[k];
  w.answered = std::max(w.answered, at);
  if (--w.awaited == 0 && ready_[k] == kNever) end_round(k, w.answered);
}

void Running::end_round(size_t warp, double at) {
  Warp& w = warps_[warp];
  at += pace_->round_own * std::min(1.0, w.loads / pace_->round_loads);
  w.loads = std::max(0.0, w.loads - pace_->round_loads);
  if (w.begin == w.end) {
    --left_;
    met_ = std::max(met_, at);
    return;
  }
  ready_[warp] = at;
  pending_ = std::min(pending_, at);
  earliest_ = std::min(earliest_, at);
}

void Running::meet() {
  if (left_ == 0) begin_phase(met_);
}

}  // namespace ww::caches
