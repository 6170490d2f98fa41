// The holders of locks, and what the first holder accesses without a fence after taking the lock: in another
// schedule nothing orders these accesses, though in this run nobody had held the lock before.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "checks/races/words.h"

namespace ww::checks::races {

/// A lane of a warp.
struct Holder {
  u64 block = 0;
  u32 warp = 0, lane = 0;
  bool operator==(const Holder&) const = default;
};

class Locks {
 public:
  /// A lock that a thread has taken: the word was `was`, and became `becomes`. Who takes it alike could have
  /// come first.
  struct Taken {
    u64 word = 0, was = 0, becomes = 0;
    bool first = false;        ///< nobody had released anything there
    std::optional<Scope> has;  ///< widest scope of the fences since
    bool taken_alike(const Taken& o) const { return word == o.word && was == o.was && becomes == o.becomes; }
  };
  /// An access by who holds a lock as the first, with the fence that it lacked.
  struct Access {
    Holder by;
    u32 instruction = 0, bytes = 0;
    Segment segment = 0;
    bool write = false;
    Taken under;
  };

  void clear() { taken_.clear(), open_.clear(); }
  bool any() const { return !taken_.empty(); }

  void takes(const Holder& t, const Taken& lock) { taken_[key(t)] = lock; }
  /// A thread stores to a word: the lock there is free again.
  void stores(const Holder& t, u64 word);
  void fence(const Holder& t, Scope scope);
  /// A barrier of the block, which orders as a fence does.
  void barrier(u64 block);
  const Taken* held(const Holder& t) const {
    const auto at = taken_.find(key(t));
    return at == taken_.end() ? nullptr : &at->second;
  }
  /// Accesses to a word by holders of locks, the first of each thread and kind.
  const std::vector<Access>* at(u64 word) const {
    const auto known = open_.find(word);
    return known == open_.end() ? nullptr : &known->second;
  }
  void add(u64 word, const Access& a);

 private:
  static constexpr size_t kMostWords = 4096, kMostOfWord = 8;

  static u64 key(const Holder& t) { return t.block << 10 | t.warp << 5 | t.lane; }

  std::unordered_map<u64, Taken> taken_;  ///< by thread
  std::unordered_map<u64, std::vector<Access>> open_;
};

}  // namespace ww::checks::races
