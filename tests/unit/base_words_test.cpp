// Words around numbers.
#include "base/words.h"

#include <gtest/gtest.h>

#include <vector>

namespace ww {
namespace {

TEST(Words, OneIsNotSeveral) {
  EXPECT_EQ(counted(1, "block"), "1 block");
  EXPECT_EQ(counted(0, "block"), "0 blocks");
  EXPECT_EQ(counted(21, "block"), "21 blocks");
  EXPECT_EQ(counted(2, "frequency", "frequencies"), "2 frequencies");
  EXPECT_EQ(plural(1, "was", "were"), "was");
}

TEST(Words, AListHasOneAnd) {
  const std::vector<std::string> all = {"warps", "registers", "blocks"};
  EXPECT_EQ(listed(all), "warps, registers and blocks");
  EXPECT_EQ(listed(std::span(all).first(2)), "warps and registers");
  EXPECT_EQ(listed(std::span(all).first(1)), "warps");
  EXPECT_EQ(listed({}), "");
}

TEST(Words, TimesAreToldInTheUnitThatReadsBest) {
  EXPECT_EQ(time_text(0.00384), "3.84 µs");
  EXPECT_EQ(time_text(3.84e-5), "38.4 ns");
  EXPECT_EQ(time_text(9.565e-9), "9.565 ps");
  EXPECT_EQ(time_text(12.345678), "12.35 ms");
  EXPECT_EQ(time_text(0.1), "0.1 ms");
  EXPECT_EQ(time_text(0), "0 ms");
  EXPECT_EQ(time_text(12345.6), "12346 ms");
  EXPECT_EQ(readable_unit("s", 0.002).unit, "ms");
  EXPECT_EQ(readable_unit("s", 0.002).factor, 1000);
  EXPECT_EQ(readable_unit("us", 4).unit, "µs");
  EXPECT_EQ(readable_unit("byte", 1e-9).factor, 1);
}

TEST(Words, TimesThatAreComparedStandInOneUnit) {
  EXPECT_EQ(time_text_beside(4.304e-8, 1.993e-7), "0.04304 ns");  // beside 0.1993 ns
  EXPECT_EQ(time_text_beside(0.05, 1.2), "0.05 ms");
  EXPECT_EQ(time_text_beside(30, 0.5), "30 ms");
  EXPECT_EQ(time_text_beside(30, 0.05), "30000 µs");  // beside 50 µs
  EXPECT_EQ(time_text_beside(0, 0.05), "0 µs");
  // Too far apart for one unit.
  EXPECT_EQ(time_text_beside(1e-5, 20), "10 ns");
  EXPECT_EQ(time_text_beside(200, 0.05), "200 ms");
}

}  // namespace
}  // namespace ww
