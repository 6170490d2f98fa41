// Who accessed which word last, as far as it can still meet others in a race.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "checks/races/clock.h"

namespace ww::checks::races {

/// One access, or that of several lanes by one instruction: two of them stand for all.
struct Record {
  u32 stamp = 0;  ///< segment, and a flag
  u32 bits = 0;   ///< instruction (18 bits), bytes of the word (4), highest and lowest lane (5 each)

  static constexpr u32 kFlag = 0x80000000u;
  static constexpr Segment kPending = 0x7fffffffu;  ///< a copy that has not been waited for
  static constexpr Segment kSplit = 0x7ffffffeu;    ///< in Cell::write: `bits` numbers the cells of its bytes
  static constexpr Segment kNewest = 0x40000000u;   ///< there are no later segments
  static constexpr u32 kMostInstructions = 1u << 18;

  Segment segment() const { return stamp & ~kFlag; }
  u32 low() const { return bits & 31; }
  u32 high() const { return bits >> 5 & 31; }
  u32 bytes() const { return bits >> 10 & 15; }
  u32 instruction() const { return bits >> 14; }
  static u32 packed(u32 instruction, u32 bytes, u32 low, u32 high) {
    return instruction << 14 | bytes << 10 | high << 5 | low;
  }
};

/// A word: the last write, and two other accesses that were not ordered before what came after them. The flag
/// of others[0] says that both are atomics of different groups, that of others[1] that both are reads of such
/// (blocks in global, warps in shared memory): then further ones of the same kind add nothing.
struct Cell {
  Record write;
  std::array<Record, 2> others;
};

/// The cells of a piece of memory, by pages; and the cells of single bytes.
class Shadow {
 public:
  static constexpr u32 kPageWords = 1024;
  /// Part by part, so that neighbouring words are looked at together.
  struct Page {
    struct Records {
      alignas(64) u32 stamp[kPageWords];
      alignas(64) u32 bits[kPageWords];
    };
    Records write, others[2];
    static constexpr u32 kLineWords = 16;
    /// By line of words: while it is newer than what is ordered before an access, all words of the line have
    /// been read by two groups since they were written, so that one more read adds nothing.
    Segment many_read[kPageWords / kLineWords];
    bool synchronises;  ///< it holds words at which something was released

    Cell load(u32 k) const {
      return {{write.stamp[k], write.bits[k]},
              {{{others[0].stamp[k], others[0].bits[k]}, {others[1].stamp[k], others[1].bits[k]}}}};
    }
    /// Words are about to be accessed in another way.
    void not_only_read(u32 k, u32 count) {
      for (u32 line = k / kLineWords; line * kLineWords < k + count; ++line) many_read[line] = 0;
    }
    bool read_by_many(u32 k, u32 count, Segment old) const {
      for (u32 line = k / kLineWords; line * kLineWords < k + count; ++line)
        if (many_read[line] <= old) return false;
      return true;
    }
    void store(u32 k, const Cell& c) {
      many_read[k / kLineWords] = 0;
      write.stamp[k] = c.write.stamp, write.bits[k] = c.write.bits;
      for (size_t o = 0; o < 2; ++o)
        others[o].stamp[k] = c.others[o].stamp, others[o].bits[k] = c.others[o].bits;
    }
  };

  Page& page(u64 word) {
    const u64 number = word / kPageWords;
    Recent& r = recent_[number % recent_.size()];
    if (r.number != number || !r.page) [[unlikely]] {
      auto& owned = pages_[number];
      if (!owned) owned = std::make_unique<Page>();
      r = {number, owned.get()};
    }
    return *r.page;
  }
  using Bytes = std::array<Cell, 4>;
  u32 new_bytes() {
    bytes_.emplace_back();
    return static_cast<u32>(bytes_.size() - 1);
  }
  Bytes& bytes(u32 number) { return bytes_[number]; }
  void clear() {
    pages_.clear();
    bytes_.clear();
    recent_ = {};
  }
  void forget_releases() {
    for (auto& [number, page] : pages_) page->synchronises = false;
  }

 private:
  struct Recent {
    u64 number = 0;
    Page* page = nullptr;
  };
  std::unordered_map<u64, std::unique_ptr<Page>> pages_;
  std::array<Recent, 64> recent_;
  std::deque<Bytes> bytes_;
};

}  // namespace ww::checks::races
