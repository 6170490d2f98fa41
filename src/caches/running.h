// Blocks on an SM: which of their warps can make its next request, and when.
#pragma once

#include <limits>
#include <vector>

#include "caches/pace.h"
#include "caches/trace.h"

namespace ww::caches {

using engine::u32;
using engine::u64;

inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// A block on an SM. Its warps run side by side up to where they meet (the phases of its shape); in a phase a
/// warp issues a round of loads and waits for them.
class Running {
 public:
  /// `pace` stays where it is.
  Running(BlockTrace trace, u64 slot, const Pace& pace, double begin);

  /// Leaves out this part of the block's requests.
  void skip(double part);

  const BlockShape& shape() const { return *shape_; }
  /// Whether all warps are done with what they do until they meet.
  bool met() const { return left_ == 0; }
  /// Whether all requests have been made and answered.
  bool ended() const { return left_ == 0 && segment_ >= shape().segments.size(); }
  /// When: of a block that has ended.
  double end() const { return met_; }
  u64 first(const TraceEvent& e) const { return trace_.first[e.slot]; }
  /// That take part in this phase.
  size_t warps() const { return warps_.size(); }
  /// Where on the GPU the block is: its local memory depends on it.
  u64 slot() const { return slot_; }

  /// No warp has a request before then.
  double earliest() const { return earliest_; }
  /// The first of the warps, in their order, that can make a request at this time; -1: none.
  int ready(double now);
  /// That warp's next request. Of a load, the warp awaits the answer.
  const TraceEvent& next(int warp, double now);
  void answer(int warp, double at);
  /// If all warps have met, they begin what is next.
  void meet();

 private:
  struct Warp {
    u32 begin = 0, end = 0;  ///< its events that are left
    double loads = 0;        ///< made in this round
    double answered = 0;     ///< the last of them so far
    u32 awaited = 0;         ///< answers
  };
  void begin_phase(double at);
  bool round_full(const Warp& warp) const {
    return warp.loads >= pace_->round_loads || warp.begin == warp.end;
  }
  void end_round(size_t warp, double at);
  void look_for_ready(double now);

  // What each request needs comes first, near together: thousands of blocks take turns.
  double earliest_ = 0;
  double known_ = 0;           ///< when can_ was last found
  double pending_ = 0;         ///< the first time from then on at which another warp can
  u64 can_ = 0;                ///< warps that can make a request (of the first 64)
  std::vector<double> ready_;  ///< when each warp of this phase is, for its next request
  std::vector<Warp> warps_;
  const BlockShape* shape_;
  const Pace* pace_;
  size_t left_ = 0;  ///< of the warps, those that are not done
  double met_;       ///< when all that are done were
  u64 slot_;
  BlockTrace trace_;
  size_t segment_ = 0;
};

}  // namespace ww::caches
