#include "report/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "report_tables.h"

namespace ww::report {
namespace {

constexpr std::string_view kHeader =
    "study,kernel,gpu,device,n,block,rx,ry,r,k,metric,value,unit,provenance\n";

std::string with_value(std::variant<double, int64_t, std::string> value) {
  Table table;
  Row& row = table.rows.emplace_back();
  row.values.push_back({"m", std::move(value), "u", Provenance::Counted, ""});
  return write_csv(table).substr(kHeader.size());
}

Diagnostic first_error(std::string_view lines) {
  auto result = read_csv(std::string(kHeader) + std::string(lines), "a.csv");
  return result.ok() ? Diagnostic{} : result.error().at(0);
}

TEST(Csv, TheWholeText) {
  Table table{"title", {}, {"note"}};
  Row& row = table.rows.emplace_back();
  row[Axis::Study] = "aat", row[Axis::Kernel] = "a,\"b\"", row[Axis("n")] = "16", row[Axis("k")] = "4";
  row.values.push_back({"flop", int64_t{1} << 40, "", Provenance::Counted, "floating-point operations"});
  row.values.push_back({"time", 0.1, "ms", Provenance::Modelled, ""});
  Row& bad = table.rows.emplace_back();
  bad[Axis::Study] = "aat";
  bad.refused = "too many\nthreads";
  EXPECT_EQ(write_csv(table), std::string(kHeader) +
                                  "aat,\"a,\"\"b\"\"\",,,16,,,,,4,flop,1099511627776,,counted\n"
                                  "aat,\"a,\"\"b\"\"\",,,16,,,,,4,time,0.1,ms,modelled\n"
                                  "aat,,,,,,,,,,refused,\"too many\nthreads\",,input\n");
}

TEST(Csv, Numbers) {
  EXPECT_EQ(with_value(0.1), ",,,,,,,,,,m,0.1,u,counted\n");
  EXPECT_EQ(with_value(1.0 / 3), ",,,,,,,,,,m,0.3333333333333333,u,counted\n");
  EXPECT_EQ(with_value(INT64_MIN), ",,,,,,,,,,m,-9223372036854775808,u,counted\n");
  EXPECT_EQ(with_value(std::nan("")), ",,,,,,,,,,m,nan,u,counted\n");
  EXPECT_EQ(with_value(-std::nan("")), ",,,,,,,,,,m,nan,u,counted\n");  // what 0/0 gives on x86
  EXPECT_EQ(with_value(INFINITY), ",,,,,,,,,,m,inf,u,counted\n");
  EXPECT_EQ(with_value(-INFINITY), ",,,,,,,,,,m,-inf,u,counted\n");
  EXPECT_EQ(with_value("12"), ",,,,,,,,,,m,\"12\",u,counted\n");  // a word, not a number
}

TEST(Csv, DoublesComeBackBitByBit) {
  std::mt19937_64 random(7);
  Table table;
  Row& row = table.rows.emplace_back();
  auto add = [&](double d) {
    row.values.push_back({"m" + std::to_string(row.values.size()), d, "", {}, ""});
  };
  for (double d : {0.0, -0.0, 5e-324, 1.7976931348623157e308, 1e15 + 0.3, 9007199254740993.0, 1e22,
                   123456789012345680.0})
    add(d);
  while (row.values.size() < 10000)
    if (double d = std::bit_cast<double>(random()); !std::isnan(d)) add(d);
  auto back = read_csv(write_csv(table), "a.csv");
  ASSERT_TRUE(back.ok()) << render(back.error());
  ASSERT_EQ(back->rows.size(), 1u);
  for (size_t i = 0; i < row.values.size(); ++i) {
    double was = row.values[i].number(), is = back->rows[0].values[i].number();
    EXPECT_EQ(std::bit_cast<uint64_t>(was), std::bit_cast<uint64_t>(is)) << was;
  }
}

TEST(Csv, RoundTripsHostileTables) {
  Table table = hostile_table();
  auto back = read_csv(write_csv(table), "a.csv");
  ASSERT_TRUE(back.ok()) << render(back.error());
  for (auto& row : table.rows)
    for (auto& value : row.values) value.description.clear();  // the CSV has no place for them
  expect_same_rows(*back, table);
  EXPECT_EQ(write_csv(*back), write_csv(table));
}

TEST(Csv, RowsWithTheSameAxesStayApart) {
  Table table;
  for (int i = 0; i < 2; ++i) table.rows.emplace_back().values.push_back({"m", int64_t{i}, "", {}, ""});
  for (int i = 0; i < 2; ++i) table.rows.emplace_back().refused = "no";
  EXPECT_EQ(read_csv(write_csv(table), "")->rows.size(), 4u);
}

TEST(Csv, TheSameMetricOfTwoOriginsIsOneRow) {
  Table table;
  Row& row = table.rows.emplace_back();
  for (auto origin : {Provenance::Modelled, Provenance::Published})
    row.values.push_back({"time", 1.5, "ms", origin, ""});
  EXPECT_EQ(read_csv(write_csv(table), "")->rows.size(), 1u);
}

TEST(Csv, ReadsWhatSpreadsheetsWrite) {
  std::string text = "\xef\xbb\xbf" + std::string(kHeader);
  text.insert(text.size() - 1, "\r");
  text +=
      "\"s\",k,,,8,,,,,,\"time\",1.5,\"ms\",measured\r\ns,k,,,8,,,,,,n,2,,input";  // no line end at the end
  auto table = read_csv(text, "a.csv");
  ASSERT_TRUE(table.ok()) << render(table.error());
  ASSERT_EQ(table->rows.size(), 1u);
  EXPECT_EQ(table->rows[0][Axis::Study], "s");
  EXPECT_EQ(table->rows[0].values[0].number(), 1.5);
  EXPECT_EQ(std::get<int64_t>(table->rows[0].values[1].value), 2);
}

TEST(Csv, ErrorsAreLocated) {
  EXPECT_FALSE(read_csv("", "a.csv").ok());
  auto header =
      read_csv("study,kernel,gpu,device,n,block,rx,ry,r,k,metric,value,units,provenance\n", "a.csv");
  EXPECT_EQ(header.error().at(0).message, "column 13 is 'units', must be 'unit'");
  EXPECT_EQ(header.error().at(0).where, (Location{"a.csv", 1, 56, 5}));

  auto d = first_error("s,,,,,,,,,,m,1,u,guessed\n");
  EXPECT_EQ(d.message, "unknown provenance 'guessed'");
  EXPECT_EQ(d.where, (Location{"a.csv", 2, 18, 7}));
  EXPECT_EQ(first_error("a,b,c\n").message, "3 fields, must be 14");
  EXPECT_EQ(first_error("\n").message, "1 fields, must be 14");
  EXPECT_EQ(first_error("s,,,,,,,,,,m,1e999,u,input\n").where.column, 14);
  EXPECT_EQ(first_error("\"a\nb\",,,,,,,,,,,1,u,input\n").where.line,
            3);  // no metric, after a quoted line end
  EXPECT_EQ(first_error("a,b\"c,\n").message, "quote within a field without quotes");
  EXPECT_EQ(first_error("a,\"b\"c,\n").where.column, 6);
  EXPECT_EQ(first_error("a,\"b\n\n\n").where, (Location{"a.csv", 2, 3, 1}));
  EXPECT_EQ(first_error("s,,,,,,,,,,refused,,,input\n").message, "a refusal must have a reason");
}

TEST(Csv, SeveralErrorsAtOnceButNotEndless) {
  std::string lines(kHeader);
  for (int i = 0; i < 1000; ++i) lines += "x\n";
  EXPECT_EQ(read_csv(lines, "").error().size(), 20u);
}

TEST(Csv, SurvivesDamage) {
  std::string good = write_csv(hostile_table());
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    std::string bad = good.substr(0, random() % good.size());
    for (int k = 0; k < 2 && !bad.empty(); ++k) bad[random() % bad.size()] = "\",\n\r\0x"[random() % 6];
    (void)read_csv(bad, "a.csv");
  }
}

TEST(Csv, ManyRows) {
  Table table = large_table(100'000);
  auto back = read_csv(write_csv(table), "a.csv");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->rows.size(), 100'000u);
}

}  // namespace
}  // namespace ww::report
