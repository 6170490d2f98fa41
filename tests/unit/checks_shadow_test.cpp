// The shadow of the race check: lines kept by stretches say of each word what was stored for it.
#include <gtest/gtest.h>

#include <random>

#include "checks/races/order.h"
#include "checks/races/packed.h"
#include "checks/races/shadow.h"

namespace {

using namespace ww::checks::races;

/// A line beside a plain cell for each of its words.
struct Pair {
  Shadow shadow;
  std::array<Cell, Line::kWords> plain{};
  Line& line() { return shadow.line(0); }

  void expect_equal(int step) {
    for (u32 k = 0; k < Line::kWords; ++k)
      ASSERT_TRUE(shadow.word(line(), k) == plain[k]) << "word " << k << " after step " << step;
    Shadow::Stretches all;
    const u32 count = shadow.load(line(), all);
    u32 words = 0;
    for (u32 n = 0; n < count; ++n) {
      ASSERT_EQ(all[n].begin, words) << "after step " << step;
      const u32 end = n + 1 < count ? all[n + 1].begin : Line::kWords;
      for (; words < end; ++words)
        ASSERT_TRUE(all[n].from(words).cell == plain[words]) << "after step " << step;
    }
    ASSERT_EQ(words, Line::kWords);
  }
};

TEST(Shadow, WordsAreWhatWasStoredForThem) {
  std::mt19937 random(7);
  const auto below = [&](u32 n) { return static_cast<u32>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    Pair p;
    for (int step = 0; step < 60; ++step) {
      // A run of words by neighbouring lanes, by 1 << t words each, or by the same lanes.
      const u8 t = below(4) == 0 ? Stretch::kSame : static_cast<u8>(below(3));
      const u32 unit = t == Stretch::kSame ? 1 : 1u << t;
      const u32 from = below(Line::kWords / unit) * unit;
      const u32 to = below(3) == 0 ? from + 1 : from + (1 + below((Line::kWords - from) / unit)) * unit;
      const Record r{1 + below(3), Record::packed(below(2), 15, below(8), 8 + below(3))};
      const u32 place = below(3);
      Shadow::Stretches old, list;
      const u32 count = p.shadow.load(p.line(), old);
      u32 n = 0;
      for (u32 k = 0; k < count; ++k) {
        const u32 end = k + 1 < count ? old[k + 1].begin : Line::kWords;
        const u32 a = std::max<u32>(from, old[k].begin), b = std::min(to, end);
        if (a >= b) {
          list[n++] = old[k];
          continue;
        }
        if (old[k].begin < a) list[n++] = old[k];
        Stretch s = old[k].from(a);
        Record& own = place == 0 ? s.cell.write : s.cell.others[place - 1];
        own = r;
        own.bits += ((a >> t) - (from >> t)) * Record::kNextLane;
        s.step[place] = t;
        list[n++] = s;
        if (b < end) list[n++] = old[k].from(b);
      }
      for (u32 k = from; k < to; ++k) {
        Record& own = place == 0 ? p.plain[k].write : p.plain[k].others[place - 1];
        own = r;
        own.bits += ((k >> t) - (from >> t)) * Record::kNextLane;
      }
      if (to == from + 1) {
        Stretch s = p.shadow.stretch(p.line(), from);
        s.cell = p.plain[from];
        s.step[place] = t;
        p.shadow.store_word(p.line(), s);
      } else {
        p.shadow.store(p.line(), list, n);
      }
      p.expect_equal(step);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Shadow, WordAfterWordByOneLaneIsOneStretch) {
  Shadow shadow;
  Line& line = shadow.line(0);
  for (u32 k = 0; k < Line::kWords; ++k) {
    Stretch s = shadow.stretch(line, k);
    s.cell.others[0] = {5, Record::packed(3, 15, 9, 9)};
    shadow.store_word(line, s);
  }
  EXPECT_EQ(line.count, 1);
  EXPECT_EQ(shadow.word(line, 15).others[0].low(), 9u);
}

TEST(Shadow, AGridThatIsReadInRowsTakesLessThanTwoBytesForEach) {
  Shadow shadow;
  constexpr u32 kWords = 64 * 1024;
  for (u32 word = 0; word < kWords; word += Line::kWords) {
    Stretch s{};
    s.cell.others[0] = {5, Record::packed(3, 15, 0, 0)};
    shadow.store(shadow.line(word), s);
    s = shadow.stretch(shadow.line(word), 15);
    s.cell.others[1] = {6, Record::packed(3, 15, 1, 1)};
    shadow.store_word(shadow.line(word), s);
  }
  EXPECT_LT(shadow.size(), 2u * 4 * kWords);
}

/// Word by word, as threads of warps of 32 do that store member `member` of structs of `size` words.
void store_members(Shadow& shadow, u32 words, u32 size, u32 member, u32 instruction) {
  for (u32 k = 0; k * size + member < words; ++k) {
    Stretch s = shadow.stretch(shadow.line(k * size + member), (k * size + member) % Line::kWords);
    s.cell.write = {1 + k / 32, Record::packed(instruction, 15, k % 32, k % 32)};
    shadow.store_word(shadow.line(k * size + member), s);
  }
}

TEST(Shadow, MembersOfStructsTakeLessThanTwoBytesForEachAndStayWhatTheyWere) {
  constexpr u32 kCount = 96 * 1024;
  for (const u32 size : {2u, 3u, 4u}) {
    Shadow packing(64), plain;
    for (Shadow* shadow : {&packing, &plain})
      for (u32 member = 0; member < size; ++member) store_members(*shadow, kCount, size, member, member);
    EXPECT_LT(packing.size(), 2u * 4 * kCount) << size;
    EXPECT_GT(plain.size(), 2u * 4 * kCount) << size;
    for (u32 word = 0; word < kCount; ++word)
      ASSERT_TRUE(packing.word(packing.line(word), word % Line::kWords) ==
                  plain.word(plain.line(word), word % Line::kWords))
          << word;
  }
}

TEST(Shadow, WordsOfSeveralStoresInNoOrderTakeLessThanTwoBytesForEachAndStayWhatTheyWere) {
  constexpr u32 kCount = 96 * 1024;
  std::mt19937 random(11);
  Shadow packing(64);
  std::vector<Cell> plain(kCount);
  for (u32 word = 0; word < kCount; ++word) {
    Stretch s = packing.stretch(packing.line(word), word % Line::kWords);
    // Of three instructions by two lanes each, or of many by one each.
    const bool many = word / 64 % 2;
    const u32 lane = static_cast<u32>(random() % 8),
              instruction = static_cast<u32>(random() % (many ? 900 : 3));
    const Record r{1 + word / Line::kWords, Record::packed(instruction, 15, lane, lane + (many ? 0 : 3))};
    if (random() % 8) Records::of(s.cell, word / 1024 % Records::kSlots) = r;
    plain[word] = s.cell;
    packing.store_word(packing.line(word), s);
  }
  EXPECT_LT(packing.size(), 2u * 4 * kCount);
  for (u32 word = 0; word < kCount; ++word)
    ASSERT_TRUE(packing.word(packing.line(word), word % Line::kWords) == plain[word]) << word;
}

TEST(Owners, SayWhoEachSegmentBelongsTo) {
  std::mt19937 random(3);
  Owners owners;
  std::vector<Owners::Owner> plain;
  const auto add = [&](u32 block, u32 warp) {
    owners.add(block, warp);
    plain.push_back({block, warp});
  };
  for (u32 block = 0; block < 200; ++block) {
    const u32 warps = 1 + static_cast<u32>(random() % 32), kind = static_cast<u32>(random() % 3);
    for (u32 k = 0; k < 300; ++k) {
      if (kind == 0) add(block, k % warps);                           // barriers
      if (kind == 1) add(block, static_cast<u32>(random() % warps));  // atomics
      if (kind == 2) add(block, k % 5 < 2 ? kLoneWarp : k / 9 % warps);
    }
  }
  for (size_t k = 0; k < plain.size(); ++k) {
    ASSERT_EQ(owners[k].block, plain[k].block) << k;
    ASSERT_EQ(owners[k].warp, plain[k].warp) << k;
  }
}

TEST(Shadow, BytesThatLanesStoreTakeLessThanTwoBytesForEach) {
  constexpr u32 kCount = 128 * 1024;
  for (const u32 size : {1u, 2u}) {  // of an element
    Shadow shadow(64);
    for (u32 word = 0; word < kCount / 4; ++word) {
      Stretch s = shadow.stretch(shadow.line(word), word % Line::kWords);
      const u32 number = shadow.new_bytes();
      s.cell = {};
      s.cell.write = {Record::kSplit, number};
      for (u32 byte = 0; byte < 4; ++byte) {
        const u32 element = (4 * word + byte) / size, first = byte / size * size;
        shadow.bytes(number)[byte].write = {
            1 + element / 32,
            Record::packed(3, (1u << (first + size)) - (1u << first), element % 32, element % 32)};
      }
      shadow.store_word(shadow.line(word), s);
    }
    EXPECT_LT(shadow.size(), 2u * kCount + 64 * 2048u) << size;  // 64 lines are ready
    for (u32 word = 0; word < kCount / 4; ++word) {
      const u32 number = shadow.word(shadow.line(word), word % Line::kWords).write.bits;
      for (u32 byte = 0; byte < 4; ++byte) {
        const u32 element = (4 * word + byte) / size;
        ASSERT_EQ(shadow.bytes(number)[byte].write.segment(), 1 + element / 32);
        ASSERT_EQ(shadow.bytes(number)[byte].write.low(), element % 32);
        ASSERT_TRUE(shadow.bytes(number)[byte].write.bytes() >> byte & 1);
      }
    }
  }
}

TEST(Shadow, LinesThatWaitAreWhatWasStoredInThem) {
  // Words and bytes of 40 lines in any order, of which 4 are ready.
  std::mt19937 random(11);
  const auto below = [&](u32 n) { return static_cast<u32>(random() % n); };
  constexpr u32 kLines = 40;
  Shadow shadow(4);
  struct Plain {
    Cell word{};
    bool split = false;
    Shadow::Bytes bytes{};
  };
  std::vector<Plain> plain(kLines * Line::kWords);
  const auto expect_equal = [&](u32 word) {
    const Cell cell = shadow.word(shadow.line(word), word % Line::kWords);
    const Plain& own = plain[word];
    ASSERT_EQ(cell.write.stamp == Record::kSplit, own.split);
    if (own.split)
      ASSERT_TRUE(shadow.bytes(cell.write.bits) == own.bytes);
    else
      ASSERT_TRUE(cell == own.word);
  };
  for (int step = 0; step < 20000; ++step) {
    const u32 stride = 1 + below(3), first = below(kLines * Line::kWords);
    const Record r{1 + below(2), Record::packed(below(2), 1 + below(15), 0, below(2))};
    const u32 place = below(3), count = 1 + below(20);
    const bool by_bytes = below(8) == 0;
    for (u32 n = 0; n < count && first + n * stride < plain.size(); ++n) {
      const u32 word = first + n * stride;
      Plain& own = plain[word];
      Stretch s = shadow.stretch(shadow.line(word), word % Line::kWords);
      if (by_bytes && !own.split) {
        own.split = true;
        s.cell = {};
        s.cell.write = {Record::kSplit, shadow.new_bytes()};
        shadow.store_word(shadow.line(word), s);
      }
      Record moved = r;
      moved.bits += n * Record::kNextLane;
      if (own.split) {
        const u32 byte = below(4);
        Cell& cell = shadow.bytes(shadow.word(shadow.line(word), word % Line::kWords).write.bits)[byte];
        (place == 0 ? cell.write : cell.others[place - 1]) = moved;
        (place == 0 ? own.bytes[byte].write : own.bytes[byte].others[place - 1]) = moved;
        continue;
      }
      (place == 0 ? own.word.write : own.word.others[place - 1]) = moved;
      s = shadow.stretch(shadow.line(word), word % Line::kWords);
      s.cell = own.word;
      s.step = {};
      shadow.store_word(shadow.line(word), s);
    }
    expect_equal(below(kLines * Line::kWords));
    if (HasFatalFailure()) return;
    if (below(50) == 0) {  // a whole line anew, as a launch does
      const u32 line = below(kLines);
      shadow.store(shadow.line(line * Line::kWords), Stretch{});
      for (u32 k = 0; k < Line::kWords; ++k) plain[line * Line::kWords + k] = {};
    }
  }
  for (u32 word = 0; word < plain.size(); ++word) expect_equal(word);
}

}  // namespace
