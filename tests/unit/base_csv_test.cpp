#include "base/csv.h"

#include <gtest/gtest.h>

namespace ww {

// The examples of RFC 4180, section 2.
TEST(Csv, QuotesAndLineEnds) {
  auto csv = parse_csv("a.csv", "name,text\r\none,\"a, b\"\r\n\"two\",\"say \"\"hi\"\"\nthere\"\n\nthree,");
  ASSERT_TRUE(csv.ok()) << render(csv.error());
  EXPECT_EQ(csv->header, (std::vector<std::string>{"name", "text"}));
  ASSERT_EQ(csv->rows.size(), 3u);
  EXPECT_EQ(csv->at(0, "text"), "a, b");
  EXPECT_EQ(csv->at(1, "text"), "say \"hi\"\nthere");
  EXPECT_EQ(csv->at(2, "text"), "");
  EXPECT_EQ(csv->at(2, "colour"), "");
  EXPECT_EQ(csv->column("text"), 1);
}

TEST(Csv, WrongTablesAreLocated) {
  auto line = [](std::string_view text) {
    auto csv = parse_csv("a.csv", text);
    return csv ? -1 : csv.error().front().where.line;
  };
  EXPECT_EQ(line("a,b\n1,2\n\"x\ny\",3\n1\n"), 5);
  EXPECT_EQ(line("a,b\n1,2,3\n"), 2);
  EXPECT_EQ(line("a,b\n1,\"2\n"), 2);
  EXPECT_EQ(line(""), 0);
}

}  // namespace ww
