// What threads know: entries that say the same are kept once.
#include "checks/races/clock.h"

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

}  // namespace
}  // namespace ww::checks::races
