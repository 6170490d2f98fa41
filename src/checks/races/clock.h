// Vector clocks: what happened before a thread; and the logs that releases leave at a word.
//
// Time is counted in segments: a warp begins a new one at each synchronisation, and their numbers grow in the
// order in which they begin. "Lane l of warp w up to s" names all that it did in its segments up to s.
//
// A clock is a tree of blocks, their warps and lanes. Clocks share the parts in which they are equal, since a
// thread that acquires takes over nearly all that others know: to copy one costs nothing, to join two as much
// as they differ.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

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
};

/// A part of clocks. It is changed only where no other clock shares it.
struct Part {
  u32 shared_by = 0;

  Part() = default;
  Part(const Part& /*other*/) {}
  Part& operator=(const Part&) = delete;
  virtual ~Part() = default;
};

/// Counts who shares a part, without atomics: a launch whose races are looked for runs on one host thread.
class PartRef {
 public:
  PartRef() = default;
  explicit PartRef(Part* p) : part_(p) { part_ ? void(++part_->shared_by) : void(); }
  PartRef(const PartRef& o) : PartRef(o.part_) {}
  PartRef(PartRef&& o) noexcept : part_(std::exchange(o.part_, nullptr)) {}
  PartRef& operator=(PartRef o) noexcept {
    std::swap(part_, o.part_);
    return *this;
  }
  ~PartRef() {
    if (part_ && --part_->shared_by == 0) delete part_;
  }

  Part* get() const { return part_; }
  explicit operator bool() const { return part_ != nullptr; }
  bool operator==(const PartRef&) const = default;
  bool alone() const { return part_ && part_->shared_by == 1; }

 private:
  Part* part_ = nullptr;
};

/// All that anybody did in segments (after, until].
struct Span {
  Segment after = 0, until = 0;
  bool operator==(const Span&) const = default;
};

class Clock {
 public:
  bool empty() const { return !root_ && !spans_; }
  bool covers(u32 block, u32 warp, u32 lane, Segment s) const;
  /// Whether it says all that the other does.
  bool includes(const Clock& other) const;
  /// The same, where that is known without comparing them.
  bool surely_includes(const Clock& other) const;
  /// Adds, and says whether anything was new.
  bool add(const Entry& e);
  bool add(const Span& s);
  bool join(const Clock& other);
  /// All but what it says of the threads of one block.
  Clock without(u32 block) const;

 private:
  friend class Log;
  /// What a log said at a time, or a part of that: a log only grows, so its later times include the earlier.
  struct Origin {
    u32 log = 0, time = 0;
    bool whole = false;
  };

  void raise(u32 height);
  bool spans_include(const Clock& other) const;
  bool join_trees(const Clock& other);

  PartRef root_;
  PartRef spans_;   ///< of grids that have ended
  u32 height_ = 0;  ///< levels of inner parts over the blocks
  Origin origin_;
};

/// What has been released at one word of memory, all of it together. Who acquires it knows that.
class Log {
 public:
  /// `number`: another one for each log, from 1.
  explicit Log(u32 number = 0) : number_(number) {}
  bool empty() const { return all_.empty(); }
  const Clock& all() const { return all_; }
  u32 number() const { return number_; }
  u32 time() const { return time_; }  ///< how often something new was released
  void append(const Entry& e) { grown(all_.add(e)); }
  void append(const Clock& c) { grown(all_.join(c)); }

 private:
  void grown(bool changed) {
    if (changed) all_.origin_ = {number_, ++time_, true};
  }

  Clock all_;
  u32 number_, time_ = 0;
};

/// What a lane knows of its own block and, in `more`, of others.
struct Known {
  Segment block = 0;  ///< all of the block up to here
  Segment warp = 0;   ///< all of the warp
  Segment lane = 0;   ///< the lane itself
  Clock more;

  bool empty() const { return !block && !warp && !lane && more.empty(); }
};

}  // namespace ww::checks::races
