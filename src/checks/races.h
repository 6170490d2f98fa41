// Data races in shared and global memory, by happens-before: docs/races.md says what is found.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <tuple>

#include "analysis/written_params.h"
#include "checks/check.h"
#include "checks/races/grids.h"
#include "checks/races/intervals.h"
#include "checks/races/lock_order.h"
#include "checks/races/locks.h"
#include "checks/races/order.h"
#include "checks/races/runs.h"
#include "checks/races/shadow.h"
#include "checks/reach.h"

namespace ww::checks {

class Races : public Check {
 public:
  /// `benign`: instead of all others, only pairs of stores of one value that no thread's data decide.
  explicit Races(Findings& findings, bool benign = false) : Check(findings), benign_(benign) {}

  std::string name() const override { return benign_ ? "benign" : "races"; }
  u32 wants() const override {
    return events::kMemory | events::kBarriers | events::kFences | events::kWarpSyncs | events::kCopyGroups |
           events::kBulk | events::kMbarriers | events::kGrids;
  }
  events::Registers registers() const override { return events::Registers::Never; }

  void launch_begins(const engine::Program& program, int workers) override;
  void block_begins(int worker, u64 block) override;
  void memory(int /*worker*/, const events::Memory& e) override { take(e); }
  void heap_free(int /*worker*/, const events::HeapFree& e) override { take(e); }
  void barrier_arrival(int /*worker*/, const events::BarrierArrival& e) override { take(e); }
  void barrier_release(int /*worker*/, const events::BarrierRelease& e) override { take(e); }
  void cluster_barrier(int /*worker*/, const events::ClusterBarrier& e) override { take(e); }
  void fence(int /*worker*/, const events::Fence& e) override { take(e); }
  void warp_sync(int /*worker*/, const events::WarpSync& e) override { take(e); }
  void copy_groups(int /*worker*/, const events::CopyGroups& e) override { take(e); }
  void bulk_access(int /*worker*/, const events::BulkAccess& e) override { take(e); }
  void mbarrier(int /*worker*/, const events::Mbarrier& e) override { take(e); }
  void grids(int /*worker*/, const events::Grids& e) override { take(e); }
  void block_ends(int worker, u64 block) override;
  void launch_ends() override;
  void stream_order(const events::StreamOrder& e) override;

 private:
  /// Blocks and instructions are numbered through all grids that may run at the same time.
  template <class E>
  void take(const E& e) {
    if (first_block_ == 0 && first_instruction_ == 0) return on(e);
    E own = e;
    own.block += first_block_;
    if constexpr (requires { own.instruction; }) own.instruction += first_instruction_;
    on(own);
  }
  void on(const events::Memory& e);
  void on(const events::HeapFree& e);
  void on(const events::BarrierArrival& e);
  void on(const events::BarrierRelease& e);
  void on(const events::ClusterBarrier& e);
  void on(const events::Fence& e);
  void on(const events::WarpSync& e);
  void on(const events::CopyGroups& e);
  void on(const events::BulkAccess& e);
  void on(const events::Mbarrier& e);
  void on(const events::Grids& e);

  /// What is known of an instruction that accesses memory.
  struct Kind {
    bool known = false, strong = false, is_volatile = false, update = false, writes = false,
         asynchronous = false;
    bool acquires = false, releases = false;
    bool frees = false;      ///< memory that malloc gave in a kernel
    bool read_only = false;  ///< a load through the read-only path (ld.global.nc)
    u32 atom = 0;            ///< bytes of the value that an atomic updates; 0: no such, or several
    u32 whole = 0;           ///< bytes of the one value that a strong load or store takes as a whole
    bool answers = false;    ///< an atomic of which something reads what was there before
    bool swaps = false;      ///< it exchanges: a lock may be taken by it
    bool waits = false;      ///< the same, again and again until it finds one certain value
    bool guess = false;      ///< what is loaded is checked by a compare-and-swap
    races::Scope scope = races::kCta;
    u32 stands_for = 0;  ///< the first met of the same loads: of the same line (of an unrolled loop)
    enum class Loop : uint8_t { Unknown, Outside, Inside, Polls } loop = Loop::Unknown;
    enum class Stores : uint8_t { Unknown, Anything, OneValue } stores = Stores::Unknown;
  };
  /// What a kernel's code says.
  struct CodeFacts {
    analysis::WrittenParams params;
    bool meets_grids = false, may_take_locks = false;
  };
  /// An access to one word that is being looked at.
  struct Access {
    const events::Site* site = nullptr;
    races::BlockOrder* block = nullptr;
    races::WarpOrder* warp = nullptr;
    Kind kind;
    u32 instruction = 0;  ///< as which it is kept
    bool write = false, pending = false, shared = false;
    races::Segment now = 0;
    races::Segment old = 0;  ///< records up to here are ordered before it
    u32 low = 0, high = 0;   ///< lanes
    u32 bytes = 15;          ///< of the word
    u64 word = 0;            ///< its address / 4
    const events::Memory* event = nullptr;
    u32 first_byte = 0;  ///< of the lanes' values that lies in this word
  };
  /// Words [from, to) of a line; the first of them is accessed by lanes `low` to `high`.
  struct WordsOfLine {
    u64 line = 0;  ///< its first word
    u32 from = 0, to = 0, low = 0, high = 0;
    races::u8 step = 0;
    u32 first_byte = 0;  ///< of the lanes' values that lies in word `from` (Stretch::kSame)
  };
  struct Lane {
    u64 block = 0;
    u32 warp = 0, lane = 0;
  };
  /// A pair of instructions that were found in a race.
  struct Found {
    u64 count = 0, different = 0;  ///< all; races that do not write the value that was there
    u64 by_luck =
        0;  ///< those strong ones of which one is volatile: no race, but what is there depends on the order
    u64 by_data = 0;  ///< those that write it, but by the values of this run: not each thread stores the same
    Lane one, other;
    u64 address = 0;
    bool shared = false, pending = false, same_warp = false, same_block = false, lacks_fence = false,
         strong_pair = false, writes = false, other_writes = false, luck = false, stale = false,
         first_lock = false, sizes = false, proxy = false;
    u32 bytes = 0;
  };
  /// Bytes that an asynchronous copy writes to shared memory.
  struct Copying {
    u32 warp = 0, lane = 0, instruction = 0;
    u32 group = 0;  ///< 0: none yet
    events::Grouped what = events::Grouped::Copies;
    bool tracked = false;
    u64 mbarrier = 0;
    u64 phase = 0;    ///< of that mbarrier: which completes it
    u64 started = 0;  ///< by which event; the pieces of a tensor copy share it
    ir::Space space = ir::Space::Shared;
    u64 address = 0;
    u32 bytes = 0;
    bool reads = false;          ///< its source, in shared memory
    races::Segment segment = 0;  ///< in which it was started
  };
  /// Phases of an mbarrier, numbered from 0. Each has an arrival, so that none is passed over unseen.
  struct Phase {
    u64 number = 0;
    bool parity = false;
  };
  /// An access to the shared memory of another block of the cluster.
  struct Reaching {
    events::Site by;
    u32 lane = 0;
    races::Segment segment = 0;
    bool after = false;  ///< that block had ended
    u64 arrived = 0;     ///< since then, the lane has come to the cluster's barrier of this phase; 0: not yet
  };
  /// A block's shared memory, and its copies under way.
  struct Place {
    races::Shadow shadow;
    races::Intervals::Position interval;  ///< of its shared memory
    std::vector<Copying> copying;
    std::map<u64, Phase> phases;                             ///< of mbarriers, by key
    std::array<std::vector<std::array<u32, 32>>, 3> groups;  ///< committed so far, by kind, warp and lane
    u32 reading = 0;                                         ///< of `copying`: those with `reads`
    std::vector<races::Segment> proxy_fences;  ///< by warp: the segment after its latest fence.proxy.async
    std::map<u64, races::Record> made;         ///< mbarriers by address: who initialised them
    std::map<u64, races::Record> early;        ///< copies of other blocks that tell what is no mbarrier yet
    std::vector<Reaching> reaching;            ///< by other blocks; the latest of each lane
    bool ended = false;
  };

  const Kind& kind_of(const events::Memory& e);
  void fetch_texels(const events::Memory& e);
  races::Shadow& shadow_of(const Access& a) { return a.shared ? place(a.block->number).shadow : global_; }
  Place& place(u64 block);
  Access access_of(const events::Memory& e, const Kind& kind);
  void keep_sources(const events::Memory& e);
  u32 different_copies(const events::Memory& e);
  /// All words of an access.
  void touch_all(const events::Memory& e, Access& a);
  /// A block's weak access to its own shared memory; true: by what was done before, it needs no look so far.
  bool repeats(const events::Memory& e, const races::BlockOrder& b, Place& p);
  /// Its accesses to shared memory since its latest barrier must have been looked at, and later ones be.
  void look_closely(Place& p, races::BlockOrder& b) {
    const races::Intervals::Position& at = p.interval;
    if (at.how != races::Intervals::Position::How::Looked || at.floor != b.floor) look_from_now(p, b);
  }
  void look_from_now(Place& p, races::BlockOrder& b);
  void look_again(Place& p, races::BlockOrder& b);
  void interval_ends(Place& p);
  /// A weak access, run by run; false: it must be looked at lane by lane. This and what follows change `a`.
  bool weak_runs(const events::Memory& e, Access& a);
  bool runs_of_parts(const events::Memory& e, Access& a);
  const races::Runs& runs_of(const events::Memory& e);
  /// Words that lanes from `low` on access, 1 << step each (Stretch::kSame: lanes low to high all of them).
  void touch_run(races::Shadow& shadow, Access& a, u64 begin, u64 end, u32 low, u32 high, races::u8 step);
  void touch_line(races::Shadow& shadow, races::Line& line, Access& a, const WordsOfLine& words);
  bool touch_quickly(races::Stretch& s, const Access& a, u32 low, u32 high, races::u8 step) const;
  void touch_stretches(races::Shadow& shadow, races::Line& line, Access& a, const WordsOfLine& words);
  void touch_words(races::Shadow& shadow, races::Line& line, Access& a, const WordsOfLine& words);
  void touch_singly(races::Shadow& shadow, Access& a, const WordsOfLine& words, u32 k);
  void tried_again(races::Shadow& shadow, races::Line& line, const Access& a, bool at_end);
  static void move_to(Access& a, const WordsOfLine& words, u32 k);
  /// One more read adds nothing, until what was read is `oldest_read` or older.
  static bool read_by_many(const races::Stretch& s, const Access& a);
  static races::Segment oldest_read(const races::Stretch& s);
  /// False: its words must be looked at one by one.
  bool touch_stretch(races::Stretch& s, Access& a, races::u8 step, bool one_word);
  /// Takes one word into account.
  void touch(races::Shadow& shadow, Access& a);
  void touch(races::Shadow& shadow, races::Cell& cell, Access& a);
  void touch_whole(races::Cell& cell, const Access& a);
  void touch_bytes(races::Shadow& shadow, races::Cell& cell, Access& a);
  void read(races::Cell& cell, const Access& a);
  void write(races::Cell& cell, const Access& a);
  void keep(races::Cell& cell, races::Record r, const Access& a);
  bool ordered(const races::Record& r, const Access& a) const;
  bool observes(const races::Record& write, const Access& a) const;
  /// Two atomics, or a strong load and store, that are not of the same bytes: the manual calls them atomic
  /// for each other no more. (Libraries update bytes that they load as such by a compare-and-swap of their
  /// word.)
  static bool other_size(const Kind& other, const Kind& own) {
    return (other.atom && own.atom && other.atom != own.atom) ||
           (other.whole && own.whole && other.whole != own.whole);
  }
  static bool never_race(const Kind& other, bool is_write, const Access& a);
  void meet(const races::Record& r, bool is_write, const Access& a);
  bool depends_on_luck(const races::Record& r, bool is_write, const Access& a);
  Kind::Loop loop_of(u32 instruction);
  bool tries(u32 instruction);
  bool stores_one_value(u32 instruction);
  void reaches_block(const events::Memory& e, Place& owner, u64 number, u32 lane, races::Segment now);
  void reached_barrier(const events::ClusterBarrier& e);
  void block_is_left(Place& place, const races::BlockOrder& b);
  void too_late(const Reaching& r, u64 owner);
  void shared_barrier(const events::BarrierArrival& e, const races::BlockOrder::Barrier::Met& other);
  /// What an exchange, or a compare-and-swap, changes.
  struct Change {
    u32 lane = 0;
    u64 word = 0, was = 0, becomes = 0;
  };
  std::vector<Change> changes_of(const events::Memory& e) const;
  void swaps(const events::Memory& e, const Access& a, const std::vector<Change>& changes);
  void order_locks(const events::Memory& e, const Kind& k, const std::vector<Change>& changes);
  void begin_lock_order(const engine::Program& program);
  static bool waits_for_one_value(const engine::InstInfo& info);
  Finding finding_of(const races::LockOrder::Ring& ring) const;
  void write_lock_order();
  void meet_locks(const events::Memory& e, Access& a);
  void report_first_lock(const races::Locks::Access& first, const Access& a, u32 lane, u64 word);
  void begin_grid(const engine::Program& program);
  const CodeFacts& facts_of(const engine::Program& program);
  void find_written(const engine::Program& program);
  /// A load of memory that the launch does not write, which nobody can race with.
  bool only_read(const events::Memory& e);
  void report(const races::Record& r, bool is_write, u32 of_lane, u32 lane, const Access& a);
  bool same_value(const Access& a, u32 lane, u32 other_lane, bool same_instruction) const;
  /// Acquires before an access of strong kind, or releases after it.
  void synchronise(const events::Memory& e, const Kind& k, races::BlockOrder& b, bool after);
  void meet_mbarrier(const events::Mbarrier& e, Place& place, u64 at, races::BlockOrder& b);
  void initialise(const events::Mbarrier& e, Place& place, Access& a);
  /// A copy will tell this mbarrier of another block, which must have been initialised.
  void tells_mbarrier(const events::BulkAccess& e, Access a);
  void finish(Place& p, races::BlockOrder& b, const Copying& c, races::Segment segment);
  /// The source of a bulk copy has been read by its thread.
  void finish_reading(Place& p, races::BlockOrder& b, const Copying& c, const events::Site& site);
  /// Plain writes that come before a bulk copy or wgmma reads their bytes, but for which no fence.proxy.async
  /// was made.
  void meet_proxy(races::Shadow& shadow, const Access& a);
  /// Writes to what a bulk copy may still read.
  void meet_reading(const Place& p, u64 begin, u64 end, u32 lane, Access& a);
  /// A block's shared address as a number no other memory has; the block whose memory it is.
  std::pair<u64, u64> shared_place(u64 block, u64 address) const;
  u64 key_of(bool shared, u64 block, u64 address) const;
  /// The number of an mbarrier's present phase, of which the parity is told.
  u64 phase_of(u64 block, u64 mbarrier, bool parity);
  static void comes_late(const events::Mbarrier& e, Place& p, u64 mbarrier, u64 phase);
  u32 cluster_of(u64 block) const;
  const engine::InstInfo& info_of(u32 instruction) const;
  static bool meets_grids(const engine::Program& program);
  static bool may_take_locks(const engine::Program& program);
  Party party_at(u32 instruction, const Lane& who, std::string what) const;
  struct Told;
  bool multiplies(u32 instruction) const;
  bool fetches(u32 instruction) const;
  bool tracked(u32 instruction) const;
  std::string does(u32 instruction, bool writes, const Found& f) const;
  std::string message_of(const Told& t) const;
  std::string place_of(const Found& f) const;
  std::string missing_of_copies(const Told& t) const;
  std::string missing_between_blocks(const Told& t) const;
  std::string missing_of(const Told& t) const;
  /// Whether different threads were seen to write one place by it, and by another or the same.
  bool stores_meet(u32 instruction) const;
  Finding finding_of(u32 instruction, u32 other, const Found& f) const;
  void write_findings();

  const bool benign_;
  const engine::Program* program_ = nullptr;
  races::Grids grids_;
  u32 first_block_ = 0, first_instruction_ = 0;  ///< of the current one
  static thread_local u64 working_stream_;       ///< that this thread of the host launches into
  std::atomic<bool> interrupted_{false};         ///< the host did something else since the latest launch
  /// Reads up to here are over as the current grid begins, although it does not wait for the one before.
  races::Segment reads_over_ = 0;
  races::Order order_;
  races::Locks locks_;
  std::unique_ptr<races::LockOrder> lock_order_;  ///< where the kernel may take locks
  std::optional<u32> block_fence_;  ///< a fence of a block's scope, which some may take for a wider one
  bool any_swaps_ = false;          ///< an exchange: there may be a lock
  races::Shadow global_{1024};
  std::map<u64, std::unique_ptr<Place>> places_;
  std::vector<std::unique_ptr<Place>> spare_;
  Place* last_place_ = nullptr;
  u64 last_block_ = 0;
  std::vector<Kind> kinds_;
  /// Weak loads by function, line, the call they were inlined through, bytes, and Kind::guess: the first met.
  std::map<std::tuple<const ir::Function*, int, int, int, u32, bool>, u32> loads_;
  std::array<races::Runs, 64> runs_;  ///< of patterns met lately
  races::Intervals intervals_;
  u64 reports_ = 0;  ///< so often a race was met
  engine::Extent3 cluster_;
  struct Range {
    u64 begin = 0, end = 0;
  };
  /// The allocations that the launch may write, as far as its arguments say; with `written_known_`, no
  /// others.
  std::vector<Range> written_;
  bool written_known_ = false;
  std::map<std::pair<std::shared_ptr<const ir::Module>, const ir::Function*>, CodeFacts> code_facts_;
  Reaches reaches_;
  /// What the lanes of the latest cp.async copy.
  struct Sources {
    u64 block = 0;
    u32 warp = 0, instruction = 0, mask = 0;
    std::array<u64, races::kWarpLanes> address{};
  } sources_;
  u64 copies_ = 0;                                    ///< bulk copies so far
  std::optional<u32> copying_warp_;                   ///< whose copy it is that is reported
  bool quiet_ = false;                                ///< a race is not reported but leaves
  bool met_ = false;                                  ///< this behind
  bool stale_ = false;                                ///< what is reported is ordered, but read_only
  bool proxy_ = false;                                ///< what is reported is ordered, but for proxies
  bool any_released_ = false;                         ///< at any word, in this launch
  std::map<std::tuple<u32, u32, u32>, Found> found_;  ///< by instructions and class
};

}  // namespace ww::checks
