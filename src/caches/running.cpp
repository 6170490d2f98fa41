#include "caches/running.h"

#include <algorithm>

namespace ww::caches {

Running::Running(BlockTrace trace, u64 slot, const Pace& pace, double begin)
    : trace_(std::move(trace)), slot_(slot), pace_(&pace), met_(begin) {
  begin_phase(begin);
}

void Running::begin_phase(double at) {
  const auto& all = shape().segments;
  warps_.clear();
  while (warps_.empty() && segment_ < all.size())
    for (const u32 phase = all[segment_].phase; segment_ < all.size() && all[segment_].phase == phase;
         ++segment_)
      if (all[segment_].begin < all[segment_].end) warps_.push_back({all[segment_], 0, 0, 0});
  ready_.assign(warps_.size(), at);
  left_ = warps_.size();
  earliest_ = at;
}

void Running::skip(double part) {
  const auto target = static_cast<size_t>(part * static_cast<double>(shape().events.size()));
  for (size_t done = 0;;) {
    size_t phase = 0;
    for (const Warp& w : warps_) phase += w.left.end - w.left.begin;
    if (done + phase > target || segment_ >= shape().segments.size()) {
      const double rest =
          phase == 0 ? 0 : static_cast<double>(target - std::min(target, done)) / static_cast<double>(phase);
      for (Warp& w : warps_)
        w.left.begin +=
            std::min(w.left.end - w.left.begin - 1, static_cast<u32>(rest * (w.left.end - w.left.begin)));
      return;
    }
    done += phase;
    begin_phase(met_);
  }
}

int Running::ready(double now) {
  if (earliest_ > now) return -1;
  earliest_ = kNever;
  for (size_t k = 0; k < ready_.size(); ++k) {
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
  const TraceEvent& e = shape().events[w.left.begin++];
  if (shape().slots[e.slot].kind == rules::AccessKind::Load) w.loads += 1, ++w.awaited;
  if (round_full(w)) {
    ready_[k] = kNever;
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
  if (w.left.begin == w.left.end) {
    --left_;
    met_ = std::max(met_, at);
    return;
  }
  ready_[warp] = at;
  earliest_ = std::min(earliest_, at);
}

void Running::meet() {
  if (left_ == 0) begin_phase(met_);
}

}  // namespace ww::caches
