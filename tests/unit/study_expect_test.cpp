// What a study expects of its rows, judged.
#include "study/expect.h"

#include <gtest/gtest.h>

#include "study/conclusions.h"

namespace ww::study {
namespace {

Row row_of(const char* kernel, const char* gpu, const char* tile, double time, int64_t conflicts) {
  Row row;
  row[Axis::Kernel] = kernel, row[Axis::Gpu] = gpu, row[Axis("tile")] = tile;
  row.values.push_back({"time", time, "ms", Provenance::Modelled, ""});
  row.values.push_back({"conflicts", conflicts, "", Provenance::Counted, ""});
  return row;
}

Table four_rows() {
  return {"",
          {row_of("a", "h200", "8", 1.0, 0), row_of("a", "t4", "8", 3.0, 0), row_of("b", "h200", "8", 2.0, 5),
           row_of("b", "t4", "8", 2.5, 0)},
          {}};
}

std::vector<Expectation> read(const std::string& list, Diagnostics* errors = nullptr) {
  auto json = parse_json("{\"expect\": " + list + "}", "s.json");
  EXPECT_TRUE(json.ok());
  JsonReader reader("s.json");
  auto out = read_expectations(*json, reader);
  if (errors)
    *errors = reader.errors;
  else
    EXPECT_TRUE(reader.errors.empty()) << render(reader.errors);
  return out;
}

Outcome outcome(const std::string& text) {
  static std::vector<Expectation> kept;
  kept = read(text);
  return judge(four_rows(), kept).at(0);
}

TEST(Expect, EachRowThatHasTheMetrics) {
  const Outcome out = outcome(R"("conflicts == 0")");
  EXPECT_EQ(out.held, 3u);
  ASSERT_EQ(out.failures.size(), 1u);
  EXPECT_EQ(out.failures[0].row, 2u);
  EXPECT_EQ(out.failures[0].what, "conflicts = 5");
}

TEST(Expect, OnlyTheRowsThatItNames) {
  EXPECT_TRUE(outcome(R"({"that": "conflicts == 0", "rows": {"kernel": "a"}})").good());
  EXPECT_EQ(
      outcome(R"({"that": "conflicts == 0", "rows": {"kernel": ["a", "b"], "tile": 8}})").failures.size(),
      1u);
  EXPECT_EQ(outcome(R"({"that": "conflicts == 0", "rows": {"tile": 9}})").wrong,
            "no row has all that it names");
}

TEST(Expect, OtherGpusAndOtherKernels) {
  // a: 1 < 2 * 3 and b: 2 < 2 * 2.5, each judged once though each has a row for both GPUs
  const Outcome gpus = outcome(R"("time@h200 < 2 * time@t4")");
  EXPECT_TRUE(gpus.good());
  EXPECT_EQ(gpus.held, 2u);
  const Outcome kernels = outcome(R"("time{kernel=a} < time{kernel=b}")");  // on t4: 3 < 2.5
  EXPECT_EQ(kernels.held, 1u);
  ASSERT_EQ(kernels.failures.size(), 1u);
  EXPECT_EQ(kernels.failures[0].what, "time{kernel=a} = 3 ms, time{kernel=b} = 2.5 ms");
}

TEST(Expect, BlocksThatFollowFromAnAxis) {
  Table table;
  for (const char* tile : {"4", "16"}) {
    Row& row = table.rows.emplace_back(row_of("a", "h200", tile, tile[0] == '4' ? 2.0 : 1.0, 0));
    row[Axis::Block] = std::string("32x") + tile;
  }
  const auto asked = read(R"("time{tile=16} < time{tile=4}")");
  EXPECT_EQ(judge(table, asked)[0].held, 1u);
  // Two blocks of one tile: each is compared from its own row, and from the other tile's row it is not known
  // which is meant.
  table.rows.push_back(table.rows[0]);
  table.rows.back()[Axis::Block] = "32x32";
  EXPECT_EQ(judge(table, asked)[0].held, 2u);
}

TEST(Expect, AxesAreNumbersToo) { EXPECT_TRUE(outcome(R"("conflicts < tile")").good()); }

TEST(Expect, WhatNoRowHas) {
  EXPECT_EQ(outcome(R"("conflict == 0")").wrong, "no row has 'conflict'; did you mean 'conflicts'?");
  EXPECT_EQ(outcome(R"("time{kernle=a} > 0")").wrong, "there is no axis 'kernle'");
  EXPECT_FALSE(outcome(R"("time@a100 > 0")").good());
  EXPECT_FALSE(outcome(R"("1/(conflicts - 5) == 0")").good());  // division by zero on one row
}

TEST(Expect, RefusedRowsAreTheReason) {
  Table table;
  table.rows.resize(2);
  table.rows[0].refused = "no NumPy";
  const auto expectations = read(R"(["verified == 1"])");
  EXPECT_EQ(judge(table, expectations)[0].wrong, "no row has 'verified'; 1 of 2 rows were refused, no NumPy");
}

TEST(Expect, ThePageSaysFirstWhatDoesNotHold) {
  const auto expectations = read(R"(["time > 0", "conflicts == 0", "colour == 1"])");
  const auto said = expected(judge(four_rows(), expectations));
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said[0].message, "expected.not");
  EXPECT_EQ(said[0].rows, std::vector<size_t>{2});  // b on the h200
  EXPECT_EQ(said[1].message, "expected.unknown");
  EXPECT_EQ(said[2].message, "expected.so");
}

TEST(Expect, MistakesAreLocated) {
  Diagnostics errors;
  read(R"(["conflicts ==", {"rows": {}}, 3, "time{kernel} > 0"])", &errors);
  ASSERT_EQ(errors.size(), 4u);
  EXPECT_EQ(errors[0].where.column, 26);  // where the operand is missing: 12 characters behind column 14
}

}  // namespace
}  // namespace ww::study
