// Sparse vector clocks: what happened before a thread; and the logs that releases leave at a word.
//
// Time is counted in segments: a warp begins a new one at each synchronisation, and their numbers grow in the
// order in which they begin. "Lane l of warp w up to s" names all that it did in its segments up to s.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ww::checks::races {

using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;
using Segment = u32;

inline constexpr u32 kAnyWarp = 0xffff;
inline constexpr u32 kLoneWarp = kAnyWarp - 1;  ///< of segments that belong to no warp: bulk copies

/// Lanes of one warp (or all threads of a block) up to a segment.
struct Entry {
  u32 block = 0;
  u32 warp = kAnyWarp;
  u32 lanes = ~0u;
  Segment until = 0;

  bool covers(u32 b, u32 w, u32 lane, Segment s) const {
    return s <= until && b == block && (warp == kAnyWarp || (warp == w && (lanes >> lane & 1)));
  }
};

class Log;
/// The first `length` entries of a log.
struct Reach {
  const Log* log = nullptr;
  u32 length = 0;
};

/// A clock with more reaches keeps those, too, that others of it include: to look for such costs the square
/// of their number.
inline constexpr size_t kCompared = 16;

struct Clock {
  std::vector<Entry> entries;
  std::vector<Reach> reaches;

  bool empty() const { return entries.empty() && reaches.empty(); }
  bool covers(u32 block, u32 warp, u32 lane, Segment s) const;
  void add(const Entry& e);
  void add(const Reach& r);
  void join(const Clock& other);
};
using SharedClock = std::shared_ptr<const Clock>;

/// The union; one of the two where that is enough.
SharedClock joined(const SharedClock& a, const SharedClock& b);

/// What has been released at one word of memory, in the order of the releases. Who acquires it knows the
/// entries so far.
class Log {
 public:
  u32 length() const { return static_cast<u32>(entries_.size()); }
  /// `now`: the newest segment that there is.
  void append(const Entry& e, Segment now);
  void append(const Clock& clock, Segment now);
  bool covers(u32 block, u32 warp, u32 lane, Segment s, u32 length) const;
  /// Whether its first `length` entries say all that `r` does.
  bool includes(const Reach& r, u32 length) const;
  /// Whether all its entries are of the threads of one block.
  bool tells_only_of(u32 block) const {
    const auto found = of_block_.find(block);
    return of_block_.size() == 1 && found != of_block_.end() && !found->second.warps.count(kLoneWarp);
  }
  /// Of such a log: the first `length` entries, without what later ones of these say.
  std::vector<Entry> latest(u32 block, u32 length) const;
  /// Gives the memory back; it is not asked any more.
  void clear();

 private:
  /// The entries [from, to), without what later ones of these say: of a lane they say more and more.
  std::vector<Entry> newest(u32 from, u32 to) const;

  struct Stamped {
    Entry entry;
    Segment at;  ///< the newest segment when it was appended: none later is covered
  };
  std::vector<Stamped> entries_;
  /// What is said of a block, and up to where: of all its threads, and of lanes.
  struct OfBlock {
    std::vector<u32> positions;
    Segment all = 0;
    std::unordered_map<u32, std::array<Segment, 32>> warps;
  };
  std::unordered_map<u32, OfBlock> of_block_;
  /// Of another log so many entries are included once this one has so many; both grow.
  struct Included {
    u32 have, position;
  };
  std::unordered_map<const Log*, std::vector<Included>> included_;
};

/// What a lane knows of its own block and, in `more`, of others.
struct Known {
  Segment block = 0;  ///< all of the block up to here
  Segment warp = 0;   ///< all of the warp
  Segment lane = 0;   ///< the lane itself
  SharedClock more;

  bool empty() const { return !block && !warp && !lane && !more; }
};

}  // namespace ww::checks::races
