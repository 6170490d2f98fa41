#include "counters/cache/replay.h"

#include <algorithm>
#include <bit>

#include "counters/cache/lines.h"

namespace ww::counters {

namespace {

/// A block on an SM.
class Running {
 public:
  Running(BlockTrace trace, u64 slot) : trace_(std::move(trace)), slot_(slot) { begin_phase(); }

  const BlockShape& shape() const { return *trace_.shape; }
  bool ended() const { return warps_.empty(); }
  u64 first(const TraceEvent& e) const { return trace_.first[e.slot]; }
  /// Where on the GPU the block is: its local memory depends on it.
  u64 slot() const { return slot_; }

  const TraceEvent& next() {
    if (turn_ >= warps_.size()) turn_ = 0;
    TraceSegment& warp = warps_[turn_];
    const TraceEvent& e = shape().events[warp.begin];
    if (++warp.begin == warp.end) warps_.erase(warps_.begin() + static_cast<long>(turn_));
    else ++turn_;
    if (warps_.empty()) begin_phase();
    return e;
  }

 private:
  void begin_phase() {
    const auto& all = shape().segments;
    turn_ = 0;
    if (segment_ >= all.size()) return;
    for (const u32 phase = all[segment_].phase; segment_ < all.size() && all[segment_].phase == phase; ++segment_)
      if (all[segment_].begin < all[segment_].end) warps_.push_back(all[segment_]);
    if (warps_.empty()) begin_phase();
  }

  BlockTrace trace_;
  u64 slot_;
  size_t segment_ = 0;
  std::vector<TraceSegment> warps_;  // what is left of this phase
  size_t turn_ = 0;
};

class Replayer {
 public:
  Replayer(const GridTrace& grid, const CacheSetup& setup, u64 budget)
      : grid_(grid), setup_(setup), budget_(budget), caches_(setup), sms_(setup.sms) {}

  Replay run() {
    for (u32 round = 0; round < setup_.resident; ++round)
      for (u32 sm = 0; sm < setup_.sms; ++sm) begin_block(sm, round);
    for (bool any = true; any; ++now_) {
      any = false;
      for (u32 sm = 0; sm < setup_.sms; ++sm) any |= issue(sm);
    }
    out_.counts = caches_.counts();
    out_.whole = whole_ && next_ == grid_.blocks();
    out_.modified_at_end = caches_.modified();
    // The last half of the rounds: the caches had filled by then.
    const CacheCounts before = rounds_.size() >= 2 ? rounds_[(rounds_.size() - 1) / 2] : CacheCounts{};
    out_.late = out_.counts - before;
    return out_;
  }

 private:
  struct Sm {
    std::vector<Running> blocks;
    size_t turn = 0;
  };

  void begin_block(u32 sm, u64 round) {
    const u64 two_rounds = 2 * u64{setup_.sms} * setup_.resident;
    if (lookups_ >= (next_ < two_rounds ? 4 * budget_ : budget_)) full_ = true;
    while (next_ < grid_.blocks() && !full_) {
      BlockTrace trace = grid_.block(next_);
      if (!trace.shape) break;
      ++next_;
      ++out_.blocks;
      whole_ &= trace.shape->complete;
      Running block(std::move(trace), sm * u64{setup_.resident} + round);
      if (block.ended()) continue;  // it accesses nothing
      sms_[sm].blocks.push_back(std::move(block));
      return;
    }
    full_ = true;
  }

  bool issue(u32 sm) {
    Sm& s = sms_[sm];
    if (s.blocks.empty()) return false;
    if (s.turn >= s.blocks.size()) s.turn = 0;
    Running& b = s.blocks[s.turn];
    const TraceEvent e = b.next();
    access(sm, b, e);
    if (!b.ended()) {
      ++s.turn;
      return true;
    }
    const u64 slot = b.slot();
    s.blocks.erase(s.blocks.begin() + static_cast<long>(s.turn));
    const u64 wave = u64{setup_.sms} * setup_.resident;
    if (++ended_ % wave == 0) rounds_.push_back(caches_.counts());
    begin_block(sm, slot % setup_.resident);
    return true;
  }

  void access(u32 sm, const Running& b, const TraceEvent& e) {
    using Kind = Hierarchy::Kind;
    const TraceSlot& slot = b.shape().slots[e.slot];
    const Pattern& pattern = b.shape().patterns[e.pattern];
    Kind kind = slot.kind == AccessKind::Atomic ? Kind::Atomic
                : slot.kind == AccessKind::Store ? (e.local ? Kind::LocalStore : Kind::Store)
                : e.local                        ? Kind::LocalLoad
                : slot.read_only                 ? Kind::ReadOnlyLoad
                                                 : Kind::Load;
    if (slot.kind == AccessKind::Load) caches_.count_load_request();
    if (e.local) {
      local_lines(pattern, static_cast<u64>(e.address), b.slot() * 64 + e.warp, lines_);
      for (const LinePart& l : lines_) caches_.access(sm, kind, l.line, l.sectors, now_);
      lookups_ += lines_.size();
      return;
    }
    const u64 address = b.first(e) + static_cast<u64>(e.address);
    const std::vector<LinePart>& lines = expansions_.of(b.shape(), e.pattern, address % kLineBytes);
    for (const LinePart& l : lines) caches_.access(sm, kind, address / kLineBytes + l.line, l.sectors, now_);
    lookups_ += lines.size();
  }

  const GridTrace& grid_;
  CacheSetup setup_;
  u64 budget_;
  Hierarchy caches_;
  std::vector<Sm> sms_;
  u64 next_ = 0, ended_ = 0, lookups_ = 0, now_ = 0;
  bool full_ = false, whole_ = true;
  std::vector<CacheCounts> rounds_;
  std::vector<LinePart> lines_;
  Expansions expansions_;
  Replay out_;
};

}  // namespace

Replay replay(const GridTrace& grid, const CacheSetup& setup, u64 budget) { return Replayer(grid, setup, budget).run(); }

}  // namespace ww::counters
