#include "base/text.h"

#include <gtest/gtest.h>

namespace ww {
namespace {

TEST(Printable, KeepsTextAndTakesControlAway) {
  EXPECT_EQ(printable("A·Aᵀ žluťoučký 日本"), "A·Aᵀ žluťoučký 日本");
  EXPECT_EQ(printable("a\tb\nc\rd"), "a b c d");
  EXPECT_EQ(printable("\x1b[31m\x07\x7f"), "?[31m??");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "?31m");                                      // CSI as one C1 character
  EXPECT_EQ(printable("a\u202e\u2066\u200bb"), "a???b");  // direction override, isolate, zero width
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
}

TEST(Printable, BytesThatAreNoUtf8) {
  EXPECT_EQ(printable("\xff\xfe"), "??");
  EXPECT_EQ(printable("\xc0\x9b"), "??");            // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");       // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");  // beyond U+10FFFF
  EXPECT_EQ(printable("\xe2\x82"), "??");            // cut off
}

TEST(Wrap, AtGoodPlaces) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrap("one two  three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap("matmul/per_thread_2x2", 12), (Lines{"matmul/per_", "thread_2x2"}));
  EXPECT_EQ(wrap("abcdefgh", 3), (Lines{"abc", "def", "gh"}));
  EXPECT_EQ(wrap("žžžž", 2), (Lines{"žž", "žž"}));
  EXPECT_EQ(wrap("", 5), (Lines{""}));
  EXPECT_EQ(wrap("as long as it is", 0), (Lines{"as long as it is"}));
}

TEST(Wrap, LongTextTakesLinearTime) { EXPECT_EQ(wrap(std::string(4'000'000, 'x'), 20).size(), 200'000u); }

TEST(Shortened, CutsTheMiddleOut) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefgh", 6), "abc … fgh (8 bytes)");
  EXPECT_EQ(shortened("žžžžž", 6), "ž … ž (10 bytes)");  // two bytes each
}

}  // namespace
}  // namespace ww
