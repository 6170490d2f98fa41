// Happens-before: what each thread knows of the others, updated by barriers, fences, atomics and mbarriers.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "checks/races/clock.h"
#include "events/events.h"

namespace ww::checks::races {

/// Who is ordered by a fence or an atomic: .cta, .cluster, .gpu (and .sys).
enum Scope : u8 { kCta, kCluster, kGpu, kScopes };

/// The logs that a thread has read last, and how far.
class Reads {
 public:
  struct Read {
    u32 log = 0, time = 0;
    bool acquired = false;
  };

  void add(const Read& r);
  /// Of lanes that have waited for each other, and so have acquired what they read.
  void add_acquired(const Reads& other);
  bool has(const Log& log, bool acquired) const;

 private:
  static constexpr u32 kMost = 12;
  std::array<Read, kMost> latest_;
  u32 next_ = 0;
};

struct LaneOrder {
  Known knows;
  /// What it made visible to a scope by a fence: a strong write after it releases that.
  std::array<Known, kScopes> fenced;
  /// What was released where it has read: a fence or barrier after it acquires that.
  std::array<Clock, kScopes> seen;
  u64 seen_at = kNowhere;  ///< the word where it has read that; or kSeveral
  bool seen_swapped = false;
  bool took = false;  ///< the last of it by an exchange: a lock, which another could have taken first
  /// The lock from which it knows something, and all that it knows from elsewhere.
  u64 through = kNowhere;
  Clock elsewhere;
  Reads reads;

  static constexpr u64 kNowhere = ~u64{0}, kSeveral = ~u64{1};

  /// Acquires what it has read at a word.
  void learn(const Clock& what, u64 at, bool swapped);
  /// Of several lanes that have waited for each other: all know the same now.
  void knows_together(const Clock& all, const Reads& read) {
    knows.more = all;
    reads = read;
    seen = {};
    seen_at = through = kNowhere;
    elsewhere = {};
  }
};

struct WarpOrder {
  Segment now = 0;               ///< the segment it is in
  Segment floor = 0;             ///< its lanes know all that they did up to here
  u32 all = 0;                   ///< the lanes it began with
  bool apart = false;            ///< lanes know more than the floors say
  std::vector<LaneOrder> lanes;  ///< one for all, or each lane's

  const LaneOrder& of(u32 lane) const { return lanes.size() == 1 ? lanes[0] : lanes[lane]; }
};

struct BlockOrder {
  u32 number = 0;
  u32 cluster = 0;
  Segment floor = 0;  ///< all its threads know all that they did up to here
  std::vector<WarpOrder> warps;

  struct Came {
    u32 warp, lanes, instruction;
  };
  struct Barrier {
    std::vector<Came> waiting, went_on;
    /// Who met there last, if it was part of the block, and how far they were then.
    struct Met {
      u32 warp, lane, instruction;
      bool waited;
      Segment since;
    };
    std::vector<Met> met;
    Clock gone;  ///< of those who arrived and went on
    std::array<Clock, kScopes> gone_fenced;
    u32 expected = 0;
    bool any_gone = false;

    void clear() {
      waiting.clear();
      went_on.clear();
      expected = 0;
      if (any_gone) gone = {}, gone_fenced = {}, any_gone = false;
    }
  };
  std::vector<Barrier> barriers;  ///< as far as one was met
  std::vector<u64> words;         ///< of its shared memory at which something was released

  Barrier& barrier(u32 number) {
    if (number >= barriers.size()) barriers.resize(number + 1);
    return barriers[number];
  }
};

/// Who each segment belongs to. There can be millions: kept as runs, for the warps of a block begin new ones
/// in turn at its barriers, and a warp alone one after another.
class Owners {
 public:
  struct Owner {
    u32 block, warp;
  };

  void clear() { *this = {}; }
  void add(u32 block, u32 warp);
  Owner operator[](size_t k) const {
    if (k - latest_.begin >= latest_count_) find(k);
    return {latest_.block, latest_.warp(k)};
  }

 private:
  static constexpr size_t kPiece = 8;
  static constexpr u8 kLone = 255;  ///< instead of kLoneWarp
  struct Run {
    u32 begin, block;
    u8 first;  ///< warp
    u8 warps;  ///< that follow each other in turn; 0: so far they have not begun again

    u32 warp(size_t k) const {
      const u32 further = static_cast<u32>(k) - begin;
      const u32 warp = first + (warps ? further % warps : further);
      return warp == kLone ? kLoneWarp : warp;
    }
  };
  void find(size_t k) const;

  std::deque<Run> runs_;
  std::deque<u32> first_run_;  ///< of every kPiece segments
  u32 count_ = 0;
  mutable Run latest_{};  ///< the run that was asked for last, as far as it went then
  mutable size_t latest_count_ = 0;
};

class Order {
 public:
  using Owner = Owners::Owner;

  /// What came before is ordered before all that comes now.
  void begin_launch(u32 threads_of_block);
  /// What came before may still run.
  void join_launch(u32 threads_of_block);
  /// `start`: what all its threads know.
  BlockOrder& begin_block(u64 number, u32 cluster, const Clock& start);
  /// `alone`: its shared memory is not reached by other blocks of a cluster, which may live longer.
  void end_block(u64 number, bool alone);
  BlockOrder& block(u64 number) {
    if (!last_ || last_->number != number) last_ = blocks_.at(static_cast<u32>(number)).get();
    return *last_;
  }

  Segment old() const { return old_; }  ///< segments up to this one belong to earlier launches
  Segment newest() const { return newest_; }
  Owner owner(Segment s) const { return owners_[s - old_ - 1]; }

  /// Whether what `lane` of a warp did up to a segment happened before what another lane does now.
  bool before(Segment s, u32 of_lane, const BlockOrder& b, u32 warp, u32 lane) const;
  /// Whether it would be if the lane had made a fence after its latest reads.
  bool before_but_for_a_fence(Segment s, u32 of_lane, const BlockOrder& b, u32 warp, u32 lane) const;
  /// Whether it is only because of what the lane has read at `word`.
  bool only_through(u64 word, Segment s, u32 of_lane, const BlockOrder& b, u32 warp, u32 lane) const;
  /// Whether the lane has read the latest that was released at the word.
  bool has_read_all(u64 word, const BlockOrder& b, u32 warp, u32 lane) const;
  static bool took_last(const BlockOrder& b, u32 warp, u32 lane) { return b.warps[warp].of(lane).took; }

  /// One of another group of warps that has met at this barrier, where nothing orders it before this: in
  /// another run warps of both may be counted together.
  std::optional<BlockOrder::Barrier::Met> arrive(const events::BarrierArrival& e);
  void release(const events::BarrierRelease& e);
  void fence(const events::Fence& e, Scope scope);
  /// Lanes wait for each other: those named by the same mask (`named`, by lane; or all by `members`).
  void warp_sync(const events::WarpSync& e, const u32* named);
  /// What one lane of a warp has done so far is behind all lanes of the site, as if each had done it.
  void done_for_all(const events::Site& e, u32 lane);

  /// A strong access of one lane to a word where threads may meet. `fresh`: it stores and does not read.
  void strong_read(u64 word, BlockOrder& b, u32 warp, u32 lane, Scope scope, bool acquires,
                   bool swaps = false);
  /// Whether something was released there.
  bool strong_write(u64 word, BlockOrder& b, u32 warp, u32 lane, Scope scope, bool releases, bool fresh);
  /// The warp's later accesses are told apart from those so far.
  void new_segment(BlockOrder& b, u32 warp);
  /// A segment that belongs to no warp, known only where its clock goes: a copy that an mbarrier tracks.
  Segment lone_segment(u32 block) { return segment(block, kLoneWarp); }
  /// All that these lanes of a warp have done and know.
  Clock all_of(const BlockOrder& b, u32 warp, u32 lanes) const;
  /// These lanes know more from now on.
  void learn(BlockOrder& b, u32 warp, u32 lanes, const Clock& what);
  /// The same, released at a word.
  void release_all(u64 word, BlockOrder& b, u32 warp, u32 lanes, Scope scope);
  void release_entry(u64 word, const Entry& e, BlockOrder& b, Scope scope);
  void acquire(u64 word, BlockOrder& b, u32 warp, u32 lane, Scope scope) {
    strong_read(word, b, warp, lane, scope, true);
  }
  /// Whether something was released at the word.
  bool is_flag(u64 word) const { return words_.count(word) > 0; }
  bool has_fenced(const BlockOrder& b, u32 warp, u32 lane) const {
    const WarpOrder& w = b.warps[warp];
    return w.apart && !w.of(lane).fenced[kCta].empty();
  }
  void forget(u64 word) { words_.erase(word); }

 private:
  struct Word {
    std::array<Log, kScopes> logs;
    std::array<u32, 2> owner{};  ///< block and cluster that the narrow logs are of
  };

  Segment segment(u32 block, u32 warp);
  LaneOrder& own(WarpOrder& w, u32 lane);
  Word& word_of(u64 word, BlockOrder& b);
  Log& log(Word& at, Scope level, const BlockOrder& b);
  /// Whether threads of the block can have what the word says at this level.
  static bool is_for(const Word& at, u32 level, const BlockOrder& b) {
    return !at.logs[level].empty() &&
           (level == kGpu || at.owner[level] == (level == kCta ? b.number : b.cluster));
  }
  Known now(const BlockOrder& b, const WarpOrder& w, u32 lane) const;
  void add(Clock& to, const Known& k, const BlockOrder& b, u32 warp, u32 lanes) const;
  /// What the lanes of a warp know together, and have fenced.
  struct Union {
    Clock knows;
    std::array<Clock, kScopes> fenced;
    Reads reads;
  };
  void gather(Union& sum, const BlockOrder& b, u32 warp, u32 lanes) const;
  bool covers(const Clock& clock, Segment s, u32 of_lane) const {
    const Owner who = owner(s);
    return clock.covers(who.block, who.warp, of_lane, s);
  }
  const BlockOrder::Barrier::Met* unordered_group(const BlockOrder& b, const BlockOrder::Barrier& barrier,
                                                  const events::BarrierArrival& e) const;
  void full_barrier(BlockOrder& b);
  void partial_barrier(BlockOrder& b, BlockOrder::Barrier& barrier);

  Segment old_ = 0, newest_ = 0;
  u32 threads_ = 0;
  Owners owners_;  ///< by segment
  std::unordered_map<u32, std::unique_ptr<BlockOrder>> blocks_;
  std::vector<std::unique_ptr<BlockOrder>> spare_;
  BlockOrder* last_ = nullptr;
  std::unordered_map<u64, Word> words_;
  u32 logs_ = 0;  ///< so many logs were begun
};

}  // namespace ww::checks::races
