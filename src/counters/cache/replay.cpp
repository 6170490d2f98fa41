#include "counters/cache/replay.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "counters/cache/lines.h"

namespace ww::counters {

namespace {

/// A block on an SM.
class Running {
 public:
  Running(BlockTrace trace, u64 slot) : trace_(std::move(trace)), slot_(slot) { begin_phase(); }

  /// Leaves out this part of the block's requests.
  void skip(double part) {
    const auto target = static_cast<size_t>(part * static_cast<double>(shape().events.size()));
    size_t done = 0;
    for (;;) {
      size_t phase = 0;
      for (const TraceSegment& w : warps_) phase += w.end - w.begin;
      if (done + phase > target || segment_ >= shape().segments.size()) {
        const double rest =
            phase == 0 ? 0
                       : static_cast<double>(target - std::min(target, done)) / static_cast<double>(phase);
        for (TraceSegment& w : warps_)
          w.begin += std::min(w.end - w.begin - 1, static_cast<u32>(rest * (w.end - w.begin)));
        return;
      }
      done += phase;
      warps_.clear();
      begin_phase();
    }
  }

  const BlockShape& shape() const { return *trace_.shape; }
  bool ended() const { return warps_.empty(); }
  u64 first(const TraceEvent& e) const { return trace_.first[e.slot]; }
  /// Where on the GPU the block is: its local memory depends on it.
  u64 slot() const { return slot_; }

  const TraceEvent& next() {
    if (turn_ >= warps_.size()) turn_ = 0;
    TraceSegment& warp = warps_[turn_];
    const TraceEvent& e = shape().events[warp.begin];
    if (++warp.begin == warp.end)
      warps_.erase(warps_.begin() + static_cast<long>(turn_));
    else
      ++turn_;
    if (warps_.empty()) begin_phase();
    return e;
  }

 private:
  void begin_phase() {
    const auto& all = shape().segments;
    turn_ = 0;
    if (segment_ >= all.size()) return;
    for (const u32 phase = all[segment_].phase; segment_ < all.size() && all[segment_].phase == phase;
         ++segment_)
      if (all[segment_].begin < all[segment_].end) warps_.push_back(all[segment_]);
    if (warps_.empty()) begin_phase();
  }

  BlockTrace trace_;
  u64 slot_;
  size_t segment_ = 0;
  std::vector<TraceSegment> warps_;  // what is left of this phase
  size_t turn_ = 0;
};

/// Hands accesses on to the caches in order, each some time after it was asked for: the caches are larger
/// than the host's own, which fetches what they hold of the lines meanwhile.
class Pipeline {
 public:
  explicit Pipeline(Hierarchy& caches) : caches_(caches) {}

  /// `load`: the warp whose load this is a line of, if it is one; `last`: of its lines.
  void access(u32 sm, Hierarchy::Kind kind, u64 line, u32 sectors, u64 now, WarpWaits* load, bool last) {
    caches_.expect(sm, line);
    Access& a = ring_[in_++ % kDepth];
    if (in_ > kDepth) hand_on(a);
    a = {line, now, load, sm, sectors, kind, last};
  }
  /// Hands on all of them.
  void drain() {
    for (size_t k = in_ - std::min(in_, kDepth); k < in_; ++k) hand_on(ring_[k % kDepth]);
    in_ = 0;
  }

 private:
  static constexpr size_t kDepth = 32;
  struct Access {
    u64 line = 0, now = 0;
    WarpWaits* load = nullptr;
    u32 sm = 0, sectors = 0;
    Hierarchy::Kind kind{};
    bool last = false;
  };
  void hand_on(const Access& a) {
    const Level level = caches_.access(a.sm, a.kind, a.line, a.sectors, a.now);
    if (!a.load) return;
    farthest_ = std::max(farthest_, level);
    if (!a.last) return;
    caches_.count_load(*a.load, farthest_);
    farthest_ = Level::L1;
  }

  Hierarchy& caches_;
  std::array<Access, kDepth> ring_;
  size_t in_ = 0;
  Level farthest_ = Level::L1;  ///< of the load whose lines are being handed on
};

class Replayer {
 public:
  Replayer(const GridTrace& grid, const CacheSetup& setup, u64 budget)
      : grid_(grid),
        setup_(setup),
        budget_(budget),
        caches_(setup),
        sms_(setup.sms),
        waits_(u64{setup.sms} * setup.resident * kWarps) {}

  Replay run() {
    origin_ = origin(grid_.block(0));
    for (u32 round = 0; round < setup_.resident; ++round)
      for (u32 sm = 0; sm < setup_.sms; ++sm) begin_block(sm, round);
    for (bool any = true; any; ++now_) {
      any = false;
      for (u32 sm = 0; sm < setup_.sms; ++sm) any |= issue(sm);
    }
    pipeline_.drain();
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

  /// Lines are counted from near the lowest first address of a block, so that a run in other buffers gives
  /// the same. Allocations are aligned to 512 bytes.
  static u64 origin(const BlockTrace& block) {
    u64 lowest = ~u64{0};
    for (u64 address : block.first)
      if (address != 0) lowest = std::min(lowest, address);  // 0: of local memory
    return block.first.empty() || lowest == ~u64{0} ? 0 : lowest / 512 * (512 / kLineBytes);
  }

  u64 wave() const { return u64{setup_.sms} * setup_.resident; }

  /// The part of its requests that a block of the first round has behind it in the middle of the grid: where
  /// slots have become free one after another, blocks begin one after another, in their order. SMs of one
  /// cluster keep in step where their reads are coalesced.
  double head_start(u32 sm, u64 round, const Running& b) const {
    const double rounds = static_cast<double>(grid_.blocks()) / static_cast<double>(wave());
    const double requests =
        static_cast<double>(b.shape().events.size()) * static_cast<double>(grid_.blocks());
    if (rounds < 8 || 2 * requests < static_cast<double>(budget_)) return 0;
    const u64 steps = u64{setup_.gpcs > 1 ? setup_.gpcs : setup_.sms} * setup_.resident;
    const u64 step = (round * setup_.sms + sm) * steps / wave();
    return std::min(1.0, kDrift * rounds / 2) *
           (1 - static_cast<double>(step + 1) / static_cast<double>(steps));
  }

  void begin_block(u32 sm, u64 round) {
    if (lookups_ >= (next_ < 2 * wave() ? 4 * budget_ : budget_)) full_ = true;
    while (next_ < grid_.blocks() && !full_) {
      BlockTrace trace = grid_.block(next_);
      if (!trace.shape) break;
      ++next_;
      ++out_.blocks;
      whole_ &= trace.shape->complete;
      Running block(std::move(trace), sm * u64{setup_.resident} + round);
      if (block.ended()) continue;  // it accesses nothing
      if (next_ <= wave()) {
        if (const double part = head_start(sm, round, block)) {
          block.skip(part);
          whole_ = false;
        }
      }
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
    if (++ended_ % wave() == 0) {
      pipeline_.drain();
      rounds_.push_back(caches_.counts());
    }
    begin_block(sm, slot % setup_.resident);
    return true;
  }

  void access(u32 sm, const Running& b, const TraceEvent& e) {
    using Kind = Hierarchy::Kind;
    const TraceSlot& slot = b.shape().slots[e.slot];
    const Pattern& pattern = b.shape().patterns[e.pattern];
    Kind kind = slot.kind == AccessKind::Atomic  ? Kind::Atomic
                : slot.kind == AccessKind::Store ? (e.local ? Kind::LocalStore : Kind::Store)
                : e.local                        ? Kind::LocalLoad
                : slot.read_only                 ? Kind::ReadOnlyLoad
                                                 : Kind::Load;
    const u64 warp = b.slot() * kWarps + e.warp;
    WarpWaits* load = slot.kind == AccessKind::Load ? &waits_[warp] : nullptr;
    if (load) caches_.count_load_request();
    const auto ask = [&](const std::vector<LinePart>& lines, u64 from) {
      for (const LinePart& l : lines)
        pipeline_.access(sm, kind, from + l.line, l.sectors, now_, load, &l == &lines.back());
      lookups_ += lines.size();
    };
    if (e.local) {
      local_lines(pattern, static_cast<u64>(e.address), warp, lines_);
      return ask(lines_, 0);
    }
    const u64 address = b.first(e) + static_cast<u64>(e.address);
    ask(expansions_.of(b.shape(), e.pattern, address % kLineBytes), address / kLineBytes - origin_);
  }

  static constexpr u64 kWarps = 64;  ///< more than a block has

  const GridTrace& grid_;
  CacheSetup setup_;
  u64 budget_;
  Hierarchy caches_;
  Pipeline pipeline_{caches_};
  std::vector<Sm> sms_;
  std::vector<WarpWaits> waits_;  ///< by slot of blocks and warp
  u64 next_ = 0, ended_ = 0, lookups_ = 0, now_ = 0;
  u64 origin_ = 0;
  bool full_ = false, whole_ = true;
  std::vector<CacheCounts> rounds_;
  std::vector<LinePart> lines_;
  Expansions expansions_;
  Replay out_;
};

}  // namespace

Replay replay(const GridTrace& grid, const CacheSetup& setup, u64 budget) {
  return Replayer(grid, setup, budget).run();
}

}  // namespace ww::counters
