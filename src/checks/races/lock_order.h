// The order in which threads take locks. Where some take them in a ring (two: in opposite order), each may
// wait for the next for ever; whether it comes to that is a matter of the schedule.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "checks/races/locks.h"
#include "checks/races/order.h"

namespace ww::checks::races {

class LockOrder {
 public:
  /// A thread that holds `from` takes `to`, for which it would have waited.
  struct Step {
    Holder by;
    u64 from = 0, to = 0;        ///< words
    u32 from_at = 0, to_at = 0;  ///< instructions that took them
    std::vector<u64> held;       ///< all locks that it held then
    Clock knows;                 ///< what came before, whoever has which lock first
    Segment segment = 0;
    bool gave_from = false, gave_to = false;  ///< they were given back
  };
  using Ring = std::vector<const Step*>;

  void begin_launch(u32 threads_of_block) {
    *this = {};
    order_.begin_launch(threads_of_block);
  }
  /// Happens-before without what the locks themselves order: who comes first to a lock is luck.
  Order& order() { return order_; }
  bool is_lock(u64 word) const { return words_.contains(word); }
  bool any() const { return !words_.empty(); }

  /// A thread changes a word from `was` by an instruction that waits until it finds that there.
  void takes(const Holder& t, u64 word, u64 was, u32 instruction, const BlockOrder& block);
  /// It changes a word otherwise.
  void changes(const Holder& t, u64 word);
  /// Rings of steps of different threads that hold no lock in common and that nothing orders; one for each
  /// set of instructions.
  std::vector<Ring> rings() const;

 private:
  static constexpr size_t kMostSteps = 4096, kMostOfPair = 4, kLongest = 64;
  static constexpr u32 kMostTried = 1 << 18;

  struct Taken {
    u64 word = 0;
    u32 instruction = 0;
    std::vector<size_t> from, to;  ///< steps that begin and end with it
  };
  struct Word {
    u64 free = 0;
    bool held = false;
    Holder by;
  };
  using Thread = std::pair<u64, u32>;
  static Thread key(const Holder& t) { return {t.block, t.warp << 5 | t.lane}; }
  bool may_follow(const Ring& ring, const Step& next) const;
  void extend(Ring& ring, u32& tried, std::set<std::set<std::pair<u32, u32>>>& known,
              std::vector<Ring>& found) const;

  Order order_;
  bool none_ = false;  ///< a word that looked like a lock is none: nothing is known of the order
  std::unordered_map<u64, Word> words_;
  std::map<Thread, std::vector<Taken>> held_;
  std::vector<Step> steps_;
  std::map<std::pair<u64, u64>, u32> pairs_;  ///< how many steps there are of them
  mutable std::multimap<u64, const Step*> from_;
};

}  // namespace ww::checks::races
