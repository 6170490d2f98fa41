// The shadow of the race check: lines kept by stretches say of each word what was stored for it.
#include <gtest/gtest.h>

#include <random>

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

}  // namespace
