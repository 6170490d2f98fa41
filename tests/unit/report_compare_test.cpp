#include "report/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ww::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Table table(const char* tag, double value, Provenance provenance = Provenance::Counted) {
  Row row;
  row[Axis::Kernel] = "k";
  row.values.push_back({tag, value, "u", provenance, ""});
  return {"", {row}, {}};
}

/// "worse", "better", "changed", … or "same".
std::string verdict(const char* tag, double before, double after, Provenance provenance = Provenance::Counted,
                    const CompareOptions& options = {}) {
  auto found = compare(table(tag, before, provenance), table(tag, after, provenance), options);
  EXPECT_TRUE(found);
  if (found->differences.empty()) return "same";
  EXPECT_EQ(found->differences.size(), 1u);
  EXPECT_EQ(found->worse(), found->differences[0].verdict == Verdict::Worse);
  return std::string(name(found->differences[0].verdict));
}

TEST(Compare, KnowsWhichWayIsWorse) {
  EXPECT_EQ(verdict("global_load_sectors", 100, 101), "worse");
  EXPECT_EQ(verdict("global_load_sectors", 101, 100), "better");
  EXPECT_EQ(verdict("gflops", 100, 90), "worse");
  EXPECT_EQ(verdict("l1_hit_rate", 100, 101), "better");
  EXPECT_EQ(verdict("grid_blocks", 100, 90), "changed");
  EXPECT_EQ(verdict("verified", 1, 0, Provenance::Measured), "worse");
  EXPECT_EQ(verdict("max_error", 1, 2, Provenance::Measured), "same");
  EXPECT_EQ(verdict("max_error", 1, 2, Provenance::Measured, {.metrics = {"max_error"}}), "changed");
  EXPECT_EQ(verdict("time", 1, 2, Provenance::Published), "changed");
}

// A kernel that needs fewer instructions waits for a larger part of a shorter time, at a lower rate.
TEST(Compare, PartsOfATimeAndRatesAreNotJudged) {
  for (const char* tag : {"time_latency", "time_int", "gips", "ipc", "occupancy_achieved", "sm_efficiency"}) {
    EXPECT_EQ(verdict(tag, 100, 90, Provenance::Modelled), "changed") << tag;
    EXPECT_EQ(verdict(tag, 100, 110, Provenance::Modelled), "changed") << tag;
  }
  EXPECT_EQ(verdict("time", 100, 110, Provenance::Modelled), "worse");
  EXPECT_EQ(verdict("occupancy_theoretical", 100, 50, Provenance::Modelled), "worse");
}

TEST(Compare, AdviceIsNoFigure) {
  Table before = table("time", 1), after = before;
  before.rows[0].values.push_back({"tried", std::string("Tried: rows"), "", Provenance::Modelled, ""});
  after.rows[0].values.push_back({"tried", std::string("Tried: longer rows"), "", Provenance::Modelled, ""});
  EXPECT_TRUE(compare(before, after, {})->differences.empty());
  EXPECT_EQ(compare(before, after, {.metrics = {"tried"}})->differences.size(), 1u);
}

TEST(Compare, ThresholdsAreOfTheOldValue) {
  EXPECT_EQ(verdict("time", 100, 105, Provenance::Measured), "same");
  EXPECT_EQ(verdict("time", 100, 105.1, Provenance::Measured), "worse");
  EXPECT_EQ(verdict("time", 100, 105.1, Provenance::Measured, {.threshold = 0.06}), "same");
  EXPECT_EQ(
      verdict("time", 100, 105.1, Provenance::Measured, {.threshold = 0.06, .of_metric = {{"time", 0.01}}}),
      "worse");
  EXPECT_EQ(verdict("warp_instructions", 100, 101, Provenance::Counted, {.threshold = 0.01}), "same");
  EXPECT_EQ(verdict("dram_read_bytes", 0, 1, Provenance::Counted, {.threshold = 100}), "worse");
}

TEST(Compare, NotANumber) {
  EXPECT_EQ(verdict("time", 1, kNan), "worse");
  EXPECT_EQ(verdict("time", kNan, 1), "better");
  EXPECT_EQ(verdict("time", kNan, kNan), "same");
}

TEST(Compare, RepeatedRunsDifferWhereTheirQuartilesDoNotOverlap) {
  const auto runs = [](double low, double median, double high) {
    Table out = table("time", median, Provenance::Measured);
    for (const auto& [tag, v] : {std::pair("time_p25", low), std::pair("time_p75", high)})
      out.rows[0].values.push_back({tag, v, "u", Provenance::Measured, ""});
    return out;
  };
  const auto worse = [](const Table& a, const Table& b) { return compare(a, b, {})->worse(); };
  EXPECT_FALSE(worse(runs(90, 100, 115), runs(110, 120, 130)));  // by 20 %, but they overlap
  EXPECT_TRUE(worse(runs(90, 100, 105), runs(110, 120, 130)));
  EXPECT_FALSE(worse(runs(99, 100, 101), runs(102, 103, 104)));  // apart, but within 5 %
  EXPECT_TRUE(
      worse(table("time", 100, Provenance::Measured), runs(90, 120, 130)));  // nothing known of the first
}

TEST(Compare, WhatIsGone) {
  Table empty = table("x", 1);
  empty.rows[0].values.clear();
  auto found = compare(table("time", 1), empty, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count(Verdict::Missing), 1u);
  EXPECT_TRUE(found->worse());
  EXPECT_FALSE(compare(table("wall_time", 1), empty, {})->worse());
  EXPECT_FALSE(compare(empty, table("time", 1), {})->worse());

  found = compare(table("time", 1), Table{}, {});
  EXPECT_EQ(found->missing_rows, std::vector<std::string>{"k"});
  EXPECT_TRUE(found->worse());
  found = compare(Table{}, table("time", 1), {});
  EXPECT_EQ(found->new_rows, std::vector<std::string>{"k"});
  EXPECT_FALSE(found->worse());
}

TEST(Compare, WordsAreDifferentButNotWorse) {
  Table before = table("x", 1), after = table("x", 1);
  before.rows[0].values[0] = {"bound_by", std::string("dram"), "", Provenance::Modelled, ""};
  after.rows[0].values[0] = {"bound_by", std::string("issue"), "", Provenance::Modelled, ""};
  auto found = compare(before, after, {});
  ASSERT_EQ(found->differences.size(), 1u);
  EXPECT_EQ(found->differences[0].verdict, Verdict::Changed);
  EXPECT_TRUE(std::isnan(found->differences[0].change));
}

TEST(Compare, TimesAreToldInOneUnitThatSuitsThem) {
  const auto told = [](const char* before, const char* after, const char* unit) {
    const ReadableFigures f =
        readable({{}, "time", unit, Provenance::Modelled, before, after, 0, Verdict::Changed});
    return f.before + " " + f.after + " " + f.unit;
  };
  EXPECT_EQ(told("0.004021985455095356", "0.00335", "ms"), "4.022 3.35 µs");
  EXPECT_EQ(told("2", "0.00335", "ms"), "2 0.00335 ms");
  EXPECT_EQ(told("0.004", "", "request"), "0.004  request");
  EXPECT_EQ(told("ran", "too many registers", ""), "ran too many registers ");
}

}  // namespace
}  // namespace ww::report
