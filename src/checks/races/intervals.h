// What a block does in its shared memory between two of its barriers is mostly what a block before it has
// done there. If that was looked at and held no race, neither does this.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "checks/races/order.h"

namespace ww::checks::races {

class Intervals {
 public:
  /// An access of a warp. Its segments are counted from the block's floor, so that they are the same in each
  /// block.
  struct Access {
    u32 first = 0;
    uint16_t step = 0, warp = 0, now = 0, floor = 0;
    bool operator==(const Access&) const = default;
  };
  using List = std::vector<Access>;
  static constexpr u32 kNone = ~u32{0};

  /// Where a block is in its present interval.
  struct Position {
    enum class How : u8 {
      NotBegun,
      Follows,  ///< so far it is list `list` up to `at`, and its accesses have not been looked at
      Keeps,    ///< its accesses are looked at, and kept
      Looked,   ///< they are looked at
    };
    How how = How::NotBegun;
    Segment floor = 0;
    u32 list = kNone, at = 0;
    u32 before = kNone;  ///< the list of the interval before
    u64 reports = 0;     ///< so many races had been met when it began
    List kept;
  };

  void clear() { *this = {}; }
  /// Another interval like none before may still be worth keeping.
  bool useful() const { return began_anew_ <= kMostAnew + followed_; }
  /// Begins to follow a list that begins with this access, or to keep one.
  void begin(Position& p, const events::Memory& e, const WarpOrder& w);
  /// The interval goes on as its list does, or as another one that was the same so far.
  bool goes_on(Position& p, const events::Memory& e, const WarpOrder& w);
  /// One more access of an interval that is kept.
  void keep(Position& p, const events::Memory& e, const WarpOrder& w);
  /// `clean`: no race was met.
  void end(Position& p, bool clean);

  const List& list(u32 number) const { return lists_[number].accesses; }
  /// The event of an access, but for its block; what a warp stores is not known any more.
  events::Memory event(const Access& a) const;

 private:
  static constexpr u32 kMostAnew = 256, kMostLists = 128, kMostOfList = 4096, kMostAccesses = 1u << 14,
                       kMostSteps = 1024, kMostPatterns = 128;
  static constexpr u32 kOfLong = kMostAnew;  ///< a list that is too long to be kept costs as much as so many

  /// Lanes of an instruction, and how their addresses lie.
  struct Step {
    u32 event = 0, mask = 0, pattern = 0;
  };
  struct Pattern {
    u64 serial = 0;
    u32 mask = 0;  ///< of other lanes the offsets mean nothing
    std::array<int64_t, 32> offsets;
  };
  struct Known {
    List accesses;
    u32 next = kNone;  ///< the list that came behind it last
  };

  bool same(const Access& a, const events::Memory& e, const WarpOrder& w, Segment floor);
  static bool lies_alike(Pattern& p, const events::Memory& e);
  std::optional<u32> step_of(const events::Memory& e);
  u32& next_of(u32 list) { return list == kNone ? first_ : lists_[list].next; }

  std::vector<events::Memory> events_;  ///< of each instruction, the first
  std::vector<Step> steps_;
  std::vector<Pattern> patterns_;
  std::vector<Known> lists_;
  u32 first_ = kNone;  ///< the list that came first in a block last
  u32 accesses_ = 0;   ///< of all lists
  u32 latest_step_ = 0;
  u64 began_anew_ = 0, followed_ = 0;
};

}  // namespace ww::checks::races
