// Shadow memory: for each word, the last accesses that can still race with later ones.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "checks/races/clock.h"

namespace ww::checks::races {

/// One access, or that of several lanes by one instruction: two of them stand for all.
struct Record {
  u32 stamp;  ///< segment, and a flag; 0: none
  u32 bits;   ///< instruction (18 bits), bytes of the word (4), highest and lowest lane (5 each)

  static constexpr u32 kFlag = 0x80000000u;
  static constexpr Segment kPending = 0x7fffffffu;  ///< a copy that has not been waited for
  static constexpr Segment kSplit = 0x7ffffffeu;    ///< in Cell::write: `bits` numbers the cells of its bytes
  static constexpr Segment kNewest = 0x40000000u;   ///< there are no later segments
  static constexpr u32 kMostInstructions = 1u << 18;
  static constexpr u32 kNextLane = 33;  ///< added to `bits`: the next lane, as lowest and as highest
  static constexpr u32 kLanes = 1023;   ///< of `bits`: both lanes

  Segment segment() const { return stamp & ~kFlag; }
  u32 low() const { return bits & 31; }
  u32 high() const { return bits >> 5 & 31; }
  u32 bytes() const { return bits >> 10 & 15; }
  u32 instruction() const { return bits >> 14; }
  static u32 packed(u32 instruction, u32 bytes, u32 low, u32 high) {
    return instruction << 14 | bytes << 10 | high << 5 | low;
  }
  bool operator==(const Record&) const = default;
};

/// A word: the last write, and two other accesses that were not ordered before what came after them. The flag
/// of others[0] says that both are atomics of different groups, that of others[1] that both are reads of such
/// (blocks in global, warps in shared memory): then further ones of the same kind add nothing.
struct Cell {
  Record write;
  std::array<Record, 2> others;
  bool operator==(const Cell&) const = default;
};

/// Neighbouring words of a line that neighbouring lanes accessed alike.
struct Stretch {
  static constexpr u8 kSame = 5;  ///< a step with which all words of a line are of the same lanes
  /// Each byte, or half, of a word is of a lane of its own.
  static constexpr u8 kBytes = 6, kHalves = 7;

  Cell cell;               ///< of the first word
  std::array<u8, 3> step;  ///< of write and others: log2 of the words that each lane accessed
  u8 begin;                ///< the first word, within the line

  bool operator==(const Stretch&) const = default;

  static bool by_parts(u8 step) { return step > kSame; }
  static u32 lanes_of_word(u8 step) { return by_parts(step) ? step == kBytes ? 4 : 2 : 1; }
  /// From one word to a later one.
  static u32 lanes_between(u8 step, u32 from, u32 to) {
    return by_parts(step) ? (to - from) * lanes_of_word(step) : (to >> step) - (from >> step);
  }
  bool any_by_parts() const { return by_parts(step[0]) || by_parts(step[1]) || by_parts(step[2]); }
  /// From word k of the line on.
  Stretch from(u32 k) const {
    Stretch s = *this;
    const auto moved = [&](Record& r, u8 t) {
      if (r.stamp && r.stamp != Record::kSplit) r.bits += lanes_between(t, begin, k) * Record::kNextLane;
    };
    if (k != begin) {
      moved(s.cell.write, step[0]);
      moved(s.cell.others[0], step[1]);
      moved(s.cell.others[1], step[2]);
      s.begin = static_cast<u8>(k);
    }
    return s;
  }
};

/// Words kept one by one, as runs of records: records[first], records[first + stride], …; or as a table
/// (packed.h).
struct Packed {
  struct Run {
    u32 stamp, bits;  ///< of the first record
    u8 first, stride, count;
    u8 how;  ///< lanes further from one to the next (4 bits), slot of the cell (2), of bytes instead of words
  };
  /// Words with one record each, by few instructions: which one is at which word follows no rule.
  struct Table {
    static constexpr u32 kNone = 3;
    std::array<Record, kNone> kinds;  ///< without lanes
    std::array<uint16_t, 16> words;   ///< lanes (10 bits), kind (2), slot of the cell (2)
  };
  /// The same by one lane each, in one segment, by instructions near each other (an unrolled loop).
  struct Near {
    static constexpr u32 kMost = 1023;
    Record first;                    ///< of the lowest instruction, without lanes
    u32 slot;                        ///< of the cell
    std::array<uint16_t, 16> words;  ///< lane (5 bits), 1 + further instructions (11); 0: no record
  };
  static constexpr u8 kTable = 255, kNear = 254;  ///< `count` of these

  union {
    std::array<Run, 5> runs{};
    Table table;
    Near near;
  };
  uint16_t split = 0;  ///< the words that are kept by bytes
  u8 count = 0;
};

/// Neighbouring words, by stretches: mostly they are one.
struct Line {
  static constexpr u32 kWords = 16;
  static constexpr u32 kFew = 3;      ///< stretches that are kept as such; else each word is one
  static constexpr u8 kPacked = 255;  ///< `count` of a line that has not been accessed for a while

  Stretch first{};
  /// While it is newer than what is ordered before an access, all words have been read by two groups since
  /// they were written, so that one more read adds nothing.
  Segment many_read = 0;
  Segment newest = 0;  ///< no record is newer
  u8 idle = 0;         ///< reads that added nothing since many_read was tried
  u8 count = 1;        ///< stretches: up to kFew, or kWords; or kPacked
  union {
    Stretch* more = nullptr;  ///< those after the first (kWords: all)
    Packed* packed;           ///< kPacked
  };
};

/// What is kept of a piece of memory, by pages; and the cells of single bytes.
class Shadow {
 public:
  /// Of the lines whose words are kept one by one, the latest `unpacked` are ready; others are packed if that
  /// can be done. 0: all are ready.
  explicit Shadow(u32 unpacked = 0) : waiting_(unpacked) {}

  static constexpr u32 kPageWords = 1024;
  struct Page {
    std::array<Line, kPageWords / Line::kWords> lines;
    bool synchronises = false;  ///< it holds words at which something was released

    Line& line(u64 word) { return lines[word % kPageWords / Line::kWords]; }
  };
  using Stretches = std::array<Stretch, Line::kWords>;

  Page& page(u64 word) {
    const u64 number = word / kPageWords;
    // Columns of a matrix lie a power of two apart.
    Recent& r = recent_[(number ^ number >> 7) * 0x9e3779b97f4a7c15u >> 57];
    if (r.number != number || !r.page) [[unlikely]] {
      auto& owned = pages_[number];
      if (!owned) owned = std::make_unique<Page>();
      r = {number, owned.get()};
    }
    return *r.page;
  }
  Line& line(u64 word) {
    Line& l = page(word).line(word);
    if (l.count == Line::kPacked) [[unlikely]]
      unpack(l);
    return l;
  }

  /// All stretches of a line in order; how many. Neighbours that fit are joined.
  u32 load(const Line& line, Stretches& out) const;
  void store(Line& line, const Stretches& stretches, u32 count);
  /// One stretch for the whole line.
  void store(Line& line, const Stretch& s) {
    if (line.count > 1) release(line);
    line.first = s;
  }
  /// Nothing is known of the words of a line, which are kept one by one from now on.
  void part(Line& line);
  /// Nothing is known of the words of a line that are kept one by one, and stay so.
  static void clear_words(Line& line) {
    for (u32 k = 0; k < Line::kWords; ++k) line.more[k] = {{}, {}, static_cast<u8>(k)};
  }
  /// One word of a line, and which stretch it lies in.
  Stretch stretch(const Line& line, u32 k) const;
  Cell word(const Line& line, u32 k) const { return stretch(line, k).cell; }
  /// The same to be changed alone: where its bytes are of different lanes, it is kept by bytes, and `split`
  /// is set.
  Cell own_word(const Line& line, u32 k, bool& split) {
    const Stretch s = stretch(line, k);
    split = s.any_by_parts();
    return split ? by_bytes(s) : s.cell;
  }
  void store_word(Line& line, const Stretch& word);
  /// Words [s.begin, end) of a line that is one stretch so far.
  void store_part(Line& line, const Stretch& s, u32 end);
  /// The stretch of this word alone; nullptr where it has none.
  Stretch* word_stretch(const Line& line, u32 k) {
    return line.count == Line::kWords ? &line.more[k] : nullptr;
  }

  using Bytes = std::array<Cell, 4>;
  u32 new_bytes() {
    if (!free_bytes_.empty()) {
      const u32 number = free_bytes_.back();
      free_bytes_.pop_back();
      bytes_[number] = {};
      return number;
    }
    bytes_.emplace_back();
    return static_cast<u32>(bytes_.size() - 1);
  }
  Bytes& bytes(u32 number) { return bytes_[number]; }
  void free_bytes(u32 number) { free_bytes_.push_back(number); }
  /// Whether none of the bytes has a record that is newer than `old`.
  bool over(u32 number, Segment old) const {
    const Bytes& all = bytes_[number];
    return std::all_of(all.begin(), all.end(), [&](const Cell& c) {
      return c.write.segment() <= old && c.others[0].segment() <= old && c.others[1].segment() <= old;
    });
  }
  void clear() {
    pages_.clear();
    bytes_.clear();
    few_.clear(), many_.clear();
    free_few_.clear(), free_many_.clear();
    free_bytes_.clear();
    packed_.clear(), free_packed_.clear();
    waiting_.assign(waiting_.size(), nullptr);
    recent_ = {};
  }
  void forget_releases() {
    for (auto& [number, page] : pages_) page->synchronises = false;
  }
  /// Whether all words of a line fulfil something, by stretches.
  template <class F>
  bool all(const Line& line, const F& f) const {
    for (u32 n = 0; n < line.count; ++n)
      if (!f(line.count == Line::kWords ? line.more[n] : at(line, n))) return false;
    return true;
  }
  /// Bytes that it takes.
  u64 size() const;

 private:
  struct Recent {
    u64 number = 0;
    Page* page = nullptr;
  };
  Cell by_bytes(const Stretch& word);
  /// The cell of a byte of a word.
  static Cell byte_of(const Stretch& word, u32 byte);
  using Few = std::array<Stretch, Line::kFew - 1>;
  void release(Line& line);
  /// The words of this line are kept one by one from now on; what has waited longest is packed.
  void wait(Line& line);
  void pack(Line& line);
  void unpack(Line& line);
  /// Each word becomes a stretch.
  void spread(Line& line, const Stretches& list, u32 count);
  static const Stretch& at(const Line& line, u32 n) { return n == 0 ? line.first : line.more[n - 1]; }
  static Stretch& at(Line& line, u32 n) { return n == 0 ? line.first : line.more[n - 1]; }

  std::unordered_map<u64, std::unique_ptr<Page>> pages_;
  std::array<Recent, 128> recent_;
  std::deque<Bytes> bytes_;
  std::deque<Few> few_;
  std::deque<Stretches> many_;
  std::deque<Packed> packed_;
  std::vector<Stretch*> free_few_, free_many_;
  std::vector<u32> free_bytes_;
  std::vector<Packed*> free_packed_;
  std::vector<Line*> waiting_;  ///< a ring
  size_t waits_ = 0;
};

}  // namespace ww::checks::races
