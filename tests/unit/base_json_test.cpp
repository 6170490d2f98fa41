#include "base/json.h"

#include <gtest/gtest.h>

#include <random>

namespace ww {
namespace {

Diagnostic first_error(std::string_view text) {
  auto result = parse_json(text, "a.json");
  return result.ok() ? Diagnostic{} : result.error().at(0);
}

TEST(JsonTest, ValuesAndTheirPlaces) {
  //                            1   5    10   15   20        30
  auto json = parse_json("{\"a\": [1, -2.5,\n  \"x\\\"]\", true,\n null], \"b\" : {\"c\":1e3}}", "a.json");
  ASSERT_TRUE(json.ok()) << render(json.error());
  const auto& items = *json->find("a")->get<Json::Array>();
  ASSERT_EQ(items.size(), 5u);
  EXPECT_EQ(*items[0].get<int64_t>(), 1);
  EXPECT_EQ(*items[1].get<double>(), -2.5);
  EXPECT_EQ(*items[2].get<std::string>(), "x\"]");
  EXPECT_EQ(*items[3].get<bool>(), true);
  EXPECT_TRUE(items[4].null());
  std::pair<int, int> places[] = {{1, 8}, {1, 11}, {2, 3}, {2, 11}, {3, 2}};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(std::pair(items[i].line, items[i].column), places[i]) << i;
  const auto& b = (*json->get<Json::Object>())[1];
  EXPECT_EQ(std::pair(b.line, b.column), std::pair(3, 9));
  EXPECT_EQ(std::pair(b.value.line, b.value.column), std::pair(3, 15));
  EXPECT_EQ(b.value.find("c")->as_double(), 1000);
  EXPECT_EQ(b.value.find("c")->column, 20);
}

TEST(JsonTest, ExtremeIntegers) {
  auto json = parse_json("[9223372036854775807, -9223372036854775808, 9223372036854775808]", "a.json");
  const auto& items = *json->get<Json::Array>();
  EXPECT_EQ(*items[0].get<int64_t>(), INT64_MAX);
  EXPECT_EQ(*items[1].get<int64_t>(), INT64_MIN);
  EXPECT_EQ(*items[2].get<double>(), 9223372036854775808.0);
}

TEST(JsonTest, ErrorsHaveAPlace) {
  auto d = first_error("{\n  \"a\": nope\n}");
  EXPECT_EQ(d.where.line, 2);
  EXPECT_EQ(d.where.file, "a.json");
  EXPECT_NE(d.message.find("not JSON: syntax error"), std::string::npos) << d.message;
  EXPECT_EQ(first_error("[1,\n2 3]").where.line, 2);
  d = first_error("{\"a\": 1,\n \"a\": 2}");
  EXPECT_NE(d.message.find("key 'a' is given twice"), std::string::npos);
  EXPECT_EQ(d.where, (Location{"a.json", 2, 2, 3}));
  for (auto text :
       {"", " ", "{", "[1", "\"x", "1 2", "[1,]", "{\"a\"}", "nul", "\"\xff\"", "[1e999]", "\"\n\"", "NaN"})
    EXPECT_EQ(first_error(text).where.file, "a.json") << text;
}

TEST(JsonTest, DepthIsLimited) {
  EXPECT_TRUE(parse_json(std::string(100, '[') + std::string(100, ']'), "").ok());
  EXPECT_NE(first_error(std::string(1000000, '[')).message.find("100 levels"), std::string::npos);
}

TEST(JsonTest, SurvivesDamage) {
  const std::string good =
      "\xef\xbb\xbf{\"a\": [1, -2.5, \"x\\\"\\u00e9\", true, null, {\"b\": {}}], \"c\": \"\xc3\xa9\"}";
  ASSERT_TRUE(parse_json(good, "a").ok());
  for (size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(parse_json(good.substr(0, n), "a").ok()) << n;
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bad = good;
    bad[random() % bad.size()] = static_cast<char>(random());
    (void)parse_json(bad, "a");
  }
}

TEST(JsonTest, Quote) {
  EXPECT_EQ(json_quote("a\"\\\n\x01\xc3\xa9"), "\"a\\\"\\\\\\n\\u0001\xc3\xa9\"");
  EXPECT_EQ(json_quote("\xff"), "\"\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace ww
