#include "report/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "report_tables.h"

namespace ww::report {
namespace {

// A reader that is not ours.
nlohmann::json reread(const Table& table) { return nlohmann::json::parse(write_json(table)); }

Diagnostics errors(std::string_view text) {
  auto result = read_json(text, "a.json");
  return result.ok() ? Diagnostics{} : result.error();
}

TEST(TableJson, AnotherReaderSeesWhatWasWritten) {
  Table table{"the title", {}, {"a note"}};
  Row& row = table.rows.emplace_back();
  row[Axis::Kernel] = "matmul/tiled", row[Axis("n")] = "352";
  row.values.push_back({"flop", int64_t{87228416}, "", Provenance::Counted, "operations"});
  row.values.push_back({"time", 0.1, "ms", Provenance::Modelled, ""});
  row.values.push_back({"whole", 3.0, "", Provenance::Theory, ""});
  row.values.push_back({"nan", -std::nan(""), "", Provenance::Measured, ""});
  table.rows.emplace_back().refused = "too many threads";
  EXPECT_EQ(reread(table), nlohmann::json::parse(R"({
    "title": "the title", "notes": ["a note"], "rows": [
      {"axes": {"kernel": "matmul/tiled", "n": "352"}, "values": [
        {"tag": "flop", "value": 87228416, "unit": "", "provenance": "counted", "description": "operations"},
        {"tag": "time", "value": 0.1, "unit": "ms", "provenance": "modelled", "description": ""},
        {"tag": "whole", "value": 3.0, "unit": "", "provenance": "theory", "description": ""},
        {"tag": "nan", "value": "nan", "unit": "", "provenance": "measured", "description": ""}]},
      {"axes": {}, "values": [], "refused": "too many threads"}]})"));
}

TEST(TableJson, AnotherReaderSeesHostileText) {
  Table table = hostile_table();
  auto json = reread(table);
  for (size_t i = 0; i < table.rows.size(); ++i)
    EXPECT_EQ(json["rows"][i]["values"][0]["unit"].get<std::string>(), table.rows[i].values[0].unit);
}

TEST(TableJson, RoundTrips) {
  for (const Table& table : {hostile_table(), Table{}, Table{"t", {Row{}, Row{}}, {"n"}}}) {
    auto back = read_json(write_json(table), "a.json");
    ASSERT_TRUE(back.ok()) << render(back.error());
    EXPECT_EQ(back->title, table.title);
    EXPECT_EQ(back->notes, table.notes);
    expect_same_rows(*back, table);
  }
}

TEST(TableJson, CarriesHowItIsShown) {
  Presentation page{"mine", "What \"to\" <see>.",         {"time|wall_time", "flop|"},
                    {},     {{"machine", "cpu", "a; b"}}, {hostile_table()}};
  page.plots.push_back(
      {"Time", "rx*ry", {"time", "gflops"}, {"kernel", "block"}, {{"n", {"64", "128"}}}, true, false});
  page.plots.push_back({"", "n", {"flop"}, {}, {}, false, true});
  auto back = read_results(write_json(hostile_table(), &page), "a.json");
  ASSERT_TRUE(back.ok()) << render(back.error());
  expect_same_rows(back->table, hostile_table());
  ASSERT_TRUE(back->page);
  EXPECT_EQ(back->page->study, page.study);
  EXPECT_EQ(back->page->text, page.text);
  EXPECT_EQ(back->page->headline, page.headline);
  EXPECT_EQ(back->page->facts, page.facts);
  ASSERT_EQ(back->page->figures.size(), 1u);
  expect_same_rows(back->page->figures[0], hostile_table());
  ASSERT_EQ(back->page->plots.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const Plot &a = back->page->plots[i], &b = page.plots[i];
    EXPECT_EQ(std::tie(a.title, a.x, a.y, a.series, a.log_x, a.log_y),
              std::tie(b.title, b.x, b.y, b.series, b.log_x, b.log_y));
  }
  ASSERT_EQ(back->page->plots[0].filter.size(), 1u);
  EXPECT_EQ(back->page->plots[0].filter[0].axis, "n");
  EXPECT_EQ(back->page->plots[0].filter[0].values, page.plots[0].filter[0].values);

  auto none = read_results(write_json(hostile_table()), "a.json");
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->page);
  auto wrong = errors(R"({"rows": [], "page": {"plots": [{"x": "n", "y": 5}], "fact": []}})");
  ASSERT_EQ(wrong.size(), 2u);
  EXPECT_EQ(wrong[0].where.column, 54);
  EXPECT_EQ(wrong[0].hint, "did you mean 'facts'?");
  EXPECT_EQ(wrong[1].where.column, 49);
}

TEST(TableJson, DoublesComeBackBitByBit) {
  std::mt19937_64 random(7);
  Table table;
  Row& row = table.rows.emplace_back();
  for (double d : {0.0, -0.0, 5e-324, 1.7976931348623157e308, 1e15 + 0.3, 1e22, 1e16, 1e-5})
    row.values.push_back({"m", d, "", {}, ""});
  while (row.values.size() < 10000)
    if (double d = std::bit_cast<double>(random()); std::isfinite(d))
      row.values.push_back({"m", d, "", {}, ""});
  auto back = read_json(write_json(table), "a.json");
  ASSERT_TRUE(back.ok()) << render(back.error());
  for (size_t i = 0; i < row.values.size(); ++i) {
    auto* is = std::get_if<double>(&back->rows[0].values[i].value);
    ASSERT_TRUE(is) << row.values[i].number();
    EXPECT_EQ(std::bit_cast<uint64_t>(*is), std::bit_cast<uint64_t>(row.values[i].number()));
  }
}

TEST(TableJson, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(reread(Table{"a\xff", {}, {}})["title"].get<std::string>(), "a\xef\xbf\xbd");
}

TEST(TableJson, ErrorsAreLocatedAndSeveral) {
  auto all = errors(
      "{\"rows\": [\n {\"axes\": {\"kernal\": \"x\", \"n\": 3},\n  \"values\": [{\"tag\": \"t\", \"value\": "
      "true,"
      " \"provenance\": \"guessed\"},\n   {\"tag\": \"u\"}, 5]}]}");
  ASSERT_EQ(all.size(), 7u) << render(all);
  EXPECT_EQ(all[0].message, "unknown key 'kernal'");
  EXPECT_EQ(all[0].hint, "did you mean 'kernel'?");
  EXPECT_EQ(all[0].where, (Location{"a.json", 2, 12, 8}));
  EXPECT_EQ(all[1].message, "'n' must be a string, not an integer");
  EXPECT_EQ(all[2].message, "unknown provenance 'guessed'");
  EXPECT_EQ(all[2].where.line, 3);
  EXPECT_EQ(all[3].message, "a value must be a number or a string, not a boolean");
  EXPECT_EQ(all[4].message, "key 'value' is missing");
  EXPECT_EQ(all[4].where.line, 4);
  EXPECT_EQ(all[5].message, "key 'provenance' is missing");
  EXPECT_EQ(all[6].message, "must be an object, not an integer");
}

TEST(TableJson, BadInputNeverThrows) {
  for (auto text : {"", "[]", "null", "{}", "{\"rows\": 1}", "{\"rows\": [1]}",
                    "{\"rows\": [], \"title\": 1}", "{\"rows\": [], \"notes\": [1]}",
                    "{\"rows\": [{\"axes\": []}]}", "{\"rows\": [}", "{\"rows\": [], \"rows\": []}",
                    "{\"rows\":[{\"values\":[{\"tag\":\"refused\",\"value\":1,\"provenance\":\"input\"}]}]}"})
    EXPECT_FALSE(errors(text).empty()) << text;
  std::string good = write_json(hostile_table());
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (int k = 0; k < 2; ++k) bad[random() % bad.size()] = "\"{}[],:0e\\x\xff"[random() % 12];
    (void)read_json(bad, "a.json");
  }
}

TEST(TableJson, ManyRows) {
  auto back = read_json(write_json(large_table(100'000)), "a.json");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->rows.size(), 100'000u);
}

}  // namespace
}  // namespace ww::report
