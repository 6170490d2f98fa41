#include "caches/replay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "caches/kept_hierarchy.h"
#include "caches/lines.h"
#include "caches/running.h"

namespace ww::caches {

namespace {

/// What is asked for in one span of time is answered at its end: no answer comes sooner.
constexpr double kSpan = 32;

/// More warps than a block has.
constexpr u64 kWarps = 64;

class Replayer {
 public:
  Replayer(const GridTrace& grid, const CacheSetup& setup, u64 budget)
      : grid_(grid), setup_(setup), budget_(budget), kept_(setup), caches_(*kept_), sms_(setup.sms) {}

  Replay run() {
    origin_ = origin_of(grid_.block(0));
    caches_.layout().deal(setup_.resident, [&](u32 sm, u32 round) {
      begin_block(sm, round, static_cast<double>(next_) * setup_.pace.begin_interval);
    });
    for (u32 sm = 0; sm < setup_.sms; ++sm)
      if (!sms_[sm].blocks.empty()) active_.push_back(sm);
    for (double until = kSpan; !active_.empty(); until += kSpan) {
      const auto [next, asked] = span(until);
      if (!asked && next == kNever) break;
      if (!asked)  // nothing happens before then
        until = std::max(until, kSpan * std::floor(next / kSpan));
      else
        turn_over();
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
    std::vector<Running> blocks;                       // the oldest first
    std::vector<double> earliest;                      // of each, Running::earliest()
    double free = 0;                                   // when its stations have nothing to do
    bool met = false;                                  // the warps of a block have, in this span
    std::vector<std::array<WarpWaits, kWarps>> waits;  // by slot of blocks and warp
  };
  struct Request {
    u32 block, parts;  // of Asked: so many that follow those of the requests before
    int turn;          // of Running: a warp has several between barriers where others go on in between
    u32 warp;          // in its block
    Hierarchy::Kind kind;
    bool load;
    double at;
  };
  /// What an SM asks for in one span.
  struct Asked {
    u32 sm = 0;
    std::vector<Request> requests;
    std::vector<Hierarchy::Part> parts;
  };

  u64 wave() const { return u64{setup_.sms} * setup_.resident; }

  /// The part of its requests that a block of the first round has behind it in the middle of the grid: where
  /// slots have become free one after another, blocks begin one after another, in their order.
  double head_start(const Running& b) const {
    const double rounds = static_cast<double>(grid_.blocks()) / static_cast<double>(wave());
    const double requests =
        static_cast<double>(b.shape().events.size()) * static_cast<double>(grid_.blocks());
    if (rounds < 8 || 2 * requests < static_cast<double>(budget_)) return 0;
    double spread = std::min(1.0, kDrift * rounds / 2);
    if (setup_.pace.oldest_first)
      spread = setup_.pace.saturates(static_cast<double>(b.warps() * setup_.resident)) ? 1 : 0;
    return spread * (1 - static_cast<double>(next_) / static_cast<double>(wave()));
  }

  void begin_block(u32 sm, u64 round, double at) {
    if (lookups_ >= (next_ < 2 * wave() ? 4 * budget_ : budget_)) full_ = true;
    while (next_ < grid_.blocks() && !full_) {
      BlockTrace trace = grid_.block(next_);
      if (!trace.shape) break;
      ++next_;
      ++out_.blocks;
      whole_ &= trace.shape->complete;
      Running block(std::move(trace), sm * u64{setup_.resident} + round, setup_.pace, at);
      if (block.ended()) continue;  // it accesses nothing
      if (next_ <= wave()) {
        if (const double part = head_start(block)) {
          block.skip(part);
          whole_ = false;
        }
      }
      if (sms_[sm].waits.size() <= round) sms_[sm].waits.resize(round + 1);
      sms_[sm].earliest.push_back(block.earliest());
      sms_[sm].blocks.push_back(std::move(block));
      return;
    }
    full_ = true;
  }

  /// All that is asked for until then, and the answers. Returns when an SM will ask next, as far as that is
  /// known, and whether any has. An SM's requests do not depend on the others' answers in the same span, so
  /// that only the answers are in order: what they look at is fetched while other SMs are served.
  std::pair<double, bool> span(double until) {
    double next = kNever;
    bool any = false;
    past_l1_ = caches_.often_past_l1();
    for (size_t k = 0; k <= active_.size(); ++k) {
      if (k < active_.size()) {
        asked_[k % 2].sm = active_[k];
        next = std::min(next, ask(asked_[k % 2], until));
      }
      if (k > 0) any |= answer(asked_[(k - 1) % 2]);
    }
    return {next, any};
  }

  /// What this SM asks for until then. Returns when it will ask next, as far as that is known.
  double ask(Asked& out, double until) {
    Sm& sm = sms_[out.sm];
    while (sm.free < until) {
      double at = setup_.pace.oldest_first ? sm.free : 0;
      for (;;) {
        double earliest = kNever;
        int warp = -1;
        u32 k = 0;
        for (; k < sm.blocks.size(); ++k) {
          if (sm.earliest[k] <= at) {
            if ((warp = sm.blocks[k].ready(at)) >= 0) break;
            sm.earliest[k] = sm.blocks[k].earliest();
          }
          earliest = std::min(earliest, sm.earliest[k]);
        }
        if (warp >= 0) {
          at = std::max(at, sm.free);
          request(out, k, warp, at);
          sm.free = at + setup_.pace.request;
          break;
        }
        if (earliest >= until) return earliest;
        at = earliest;
      }
    }
    return sm.free;
  }

  void request(Asked& out, u32 block, int turn, double at) {
    using Kind = Hierarchy::Kind;
    Sm& sm = sms_[out.sm];
    Running& b = sm.blocks[block];
    const TraceEvent& e = b.next(turn, at);
    sm.earliest[block] = b.earliest();
    sm.met |= b.met();
    const TraceSlot& slot = b.shape().slots[e.slot];
    const rules::Pattern& pattern = b.shape().patterns[e.pattern];
    Request& r = out.requests.emplace_back();
    r.block = block, r.turn = turn, r.warp = e.warp, r.at = at;
    r.load = slot.kind == rules::AccessKind::Load;
    const auto either = [&](Kind bulk, Kind other) { return slot.bulk ? bulk : other; };
    r.kind = slot.kind == rules::AccessKind::Atomic ? either(Kind::BulkAtomic, Kind::Atomic)
             : slot.kind == rules::AccessKind::Store
                 ? either(Kind::BulkStore, e.local ? Kind::LocalStore : Kind::Store)
             : slot.bulk      ? Kind::BulkLoad
             : e.local        ? Kind::LocalLoad
             : slot.past_l1   ? Kind::LoadPastL1
             : slot.read_only ? Kind::ReadOnlyLoad
                              : Kind::Load;
    const auto ask = [&](std::span<const LinePart> lines, u64 from) {
      for (const LinePart& l : lines) {
        out.parts.push_back(caches_.part(from + l.line, l.sectors));
        caches_.expect(out.sm, out.parts.back(), past_l1_);
      }
      r.parts = static_cast<u32>(lines.size());
      lookups_ += lines.size();
    };
    if (e.local) {
      local_lines(pattern, static_cast<u64>(e.address), b.slot() * kWarps + e.warp, local_);
      ask(local_, 0);
    } else {
      const u64 address = b.first(e) + static_cast<u64>(e.address);
      ask(expansions_.of(b.shape(), e.pattern, address % kLineBytes), address / kLineBytes - origin_);
    }
  }

  /// Whether there was anything to answer.
  bool answer(Asked& asked) {
    if (asked.requests.empty()) return false;
    Sm& sm = sms_[asked.sm];
    const Hierarchy::Part* parts = asked.parts.data();
    for (const Request& r : asked.requests) {
      const Hierarchy::Answer farthest = caches_.access(asked.sm, r.kind, {parts, r.parts}, r.at);
      parts += r.parts;
      if (!r.load) continue;
      Running& b = sm.blocks[r.block];
      if (r.kind != Hierarchy::Kind::BulkLoad) {
        caches_.count_load_request();
        caches_.count_load(sm.waits[b.slot() - asked.sm * u64{setup_.resident}][r.warp], farthest.level);
      }
      b.answer(r.turn, farthest.at);
      sm.earliest[r.block] = b.earliest();
      sm.met |= b.met();
    }
    if (sm.met) met_.push_back(asked.sm);
    asked.requests.clear();
    asked.parts.clear();
    return true;
  }

  /// Blocks whose warps have met go on.
  void turn_over() {
    bool fewer = false;
    for (u32 sm : met_) fewer |= turn_over(sm);
    if (fewer) std::erase_if(active_, [&](u32 sm) { return sms_[sm].blocks.empty(); });
    met_.clear();
  }

  /// Those that have ended make room for the next. Whether none is left.
  bool turn_over(u32 index) {
    Sm& sm = sms_[index];
    sm.met = false;
    for (size_t k = 0; k < sm.blocks.size();) {
      sm.blocks[k].meet();
      if (!sm.blocks[k].ended()) {
        sm.earliest[k] = sm.blocks[k].earliest();
        ++k;
        continue;
      }
      const u64 round = sm.blocks[k].slot() % setup_.resident;
      const double end = sm.blocks[k].end();
      sm.blocks.erase(sm.blocks.begin() + static_cast<long>(k));
      sm.earliest.erase(sm.earliest.begin() + static_cast<long>(k));
      if (++ended_ % wave() == 0) rounds_.push_back(caches_.counts());
      begin_block(index, round, end + setup_.pace.begin);
    }
    return sm.blocks.empty();
  }

  const GridTrace& grid_;
  CacheSetup setup_;
  u64 budget_;
  KeptHierarchy kept_;
  Hierarchy& caches_;
  std::vector<Sm> sms_;
  u64 next_ = 0, ended_ = 0, lookups_ = 0;
  u64 origin_ = 0;
  bool full_ = false, whole_ = true;
  std::vector<CacheCounts> rounds_;
  std::vector<u32> active_;     // SMs that have blocks
  std::vector<u32> met_;        // of these, those where a block's warps have met in this span
  std::array<Asked, 2> asked_;  // of those whose turn it is
  bool past_l1_ = false;        // whether requests are likely to go there
  std::vector<LinePart> local_;
  Expansions expansions_;
  Replay out_;
};

}  // namespace

Replay replay(const GridTrace& grid, const CacheSetup& setup, u64 budget) {
  return Replayer(grid, setup, budget).run();
}

}  // namespace ww::caches
