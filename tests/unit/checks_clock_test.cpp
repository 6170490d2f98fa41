// What threads know: entries that say the same are kept once.
#include "checks/races/clock.h"
#include "checks/races/gathering.h"

#include <gtest/gtest.h>

namespace ww::checks::races {
namespace {

TEST(RaceClock, EntriesOfAWarpHaveNoLaneTwice) {
  Clock c;
  c.add(Entry{3, 1, 0xffffffff, 10});
  for (u32 k = 0; k < 1000; ++k) c.add(Entry{3, 1, 0xffffffffu << (k % 32), 11 + k});  // groups that shrink
  EXPECT_LE(c.entries.size(), 32u);
  // Lane l was last among the lanes of a group in the largest round below 1000 with l >= round % 32.
  EXPECT_TRUE(c.covers(3, 1, 31, 11 + 999));
  EXPECT_TRUE(c.covers(3, 1, 0, 11 + 992));
  EXPECT_FALSE(c.covers(3, 1, 0, 11 + 993));
  EXPECT_TRUE(c.covers(3, 1, 7, 11 + 999));
  EXPECT_FALSE(c.covers(3, 1, 6, 11 + 999));
  EXPECT_FALSE(c.covers(3, 2, 31, 1));
  EXPECT_FALSE(c.covers(4, 1, 31, 1));
}

TEST(RaceClock, TheWholeBlockStandsForItsWarps) {
  Clock c;
  for (u32 w = 0; w < 8; ++w) c.add(Entry{0, w, 0xffffffff, 5});
  c.add(Entry{0, kAnyWarp, 0xffffffff, 6});
  EXPECT_EQ(c.entries.size(), 1u);
  c.add(Entry{0, 2, 1, 6});
  EXPECT_EQ(c.entries.size(), 1u);
  c.add(Entry{0, 2, 1, 7});
  EXPECT_TRUE(c.covers(0, 2, 0, 7));
  EXPECT_FALSE(c.covers(0, 2, 1, 7));
}

TEST(RaceClock, ALogKeepsOnlyWhatIsNew) {
  Log log;
  Clock all;
  for (u32 w = 0; w < 16; ++w) all.add(Entry{0, w, 0xffffffff, 100 + w});
  for (u32 k = 0; k < 1000; ++k) log.append(all, 200);
  EXPECT_EQ(log.length(), 16u);
  log.append(Entry{0, 3, 0xff, 150}, 200);  // newer for eight lanes
  log.append(Entry{0, 3, 0xf, 120}, 200);   // older than that
  EXPECT_EQ(log.length(), 17u);
  EXPECT_TRUE(log.covers(0, 3, 7, 150, 17));
  EXPECT_FALSE(log.covers(0, 3, 8, 150, 17));
  EXPECT_FALSE(log.covers(0, 3, 7, 150, 16));  // who has come before that release
  EXPECT_TRUE(log.covers(0, 3, 8, 103, 16));
}

TEST(RaceClock, ALogTakesOverTheLatestOfAnother) {
  Log log, other;
  for (u32 k = 1; k <= 100; ++k) log.append(Entry{k % 3, 1, k % 2 ? 0xffu : 0x0fu, 10 * k}, 10 * k);
  Clock knows;
  knows.add(Reach{&log, log.length()});
  other.append(knows, 1000);
  // Of two blocks lanes 0-3, and lanes 4-7 of an earlier one; of the third all at once.
  EXPECT_EQ(other.length(), 5u);
  for (u32 block = 0; block < 3; ++block)
    for (u32 lane = 0; lane < 9; ++lane)
      for (u32 s = 1; s <= 1000; ++s)
        ASSERT_EQ(other.covers(block, 1, lane, s, other.length()),
                  log.covers(block, 1, lane, s, log.length()));
}

TEST(RaceClock, WhatALogIncludesDependsOnHowFarItIsKnown) {
  Log even, odd;
  even.append(Entry{0, 0, 1, 10}, 10);
  Clock knows;
  knows.add(Reach{&even, 1});
  odd.append(Entry{0, 1, 1, 20}, 20);
  Clock other;
  other.add(Reach{&odd, 1});
  even.append(other, 30);  // someone ahead has passed on what he learnt at the other word
  // Who knows the first entry only does not know that yet.
  EXPECT_FALSE(knows.covers(0, 1, 0, 20));
  knows.add(Reach{&odd, 1});
  EXPECT_TRUE(knows.covers(0, 1, 0, 20));
  EXPECT_TRUE(even.includes(Reach{&odd, 1}, 2));
  EXPECT_FALSE(even.includes(Reach{&odd, 1}, 1));
}

TEST(RaceClock, WhatManyKnowOfOneBlockBecomesEntries) {
  // Two lanes have each met at a word of their own; one of them also at a word that tells of another block.
  Log first, second, far;
  first.append(Entry{0, 0, 1, 10}, 10);
  first.append(Entry{0, 0, 1, 20}, 20);
  second.append(Entry{0, 1, 4, 15}, 20);
  far.append(Entry{1, 0, 1, 30}, 30);
  Gathering all;
  for (const Log* log : {&first, &second, &far, &first}) {
    auto clock = std::make_shared<Clock>();
    clock->add(Reach{log, log->length()});
    all.add(clock);
  }
  EXPECT_EQ(all.all()->reaches.size(), 3u);
  const SharedClock others = all.all_but(0);
  EXPECT_EQ(others->reaches.size(), 1u);
  EXPECT_TRUE(others->covers(1, 0, 0, 30));
  EXPECT_FALSE(others->covers(0, 0, 0, 10));
  const SharedClock plain = all.all_with_entries_of(0);
  EXPECT_EQ(plain->reaches.size(), 1u);
  EXPECT_EQ(plain->entries.size(), 2u);
  EXPECT_TRUE(plain->covers(0, 0, 0, 20));
  EXPECT_TRUE(plain->covers(0, 1, 2, 15));
  EXPECT_FALSE(plain->covers(0, 1, 2, 16));
  EXPECT_FALSE(plain->covers(0, 1, 1, 15));
  // Who came before the second release at the first word.
  EXPECT_EQ(first.latest(0, 1).at(0).until, 10u);
}

}  // namespace
}  // namespace ww::checks::races
