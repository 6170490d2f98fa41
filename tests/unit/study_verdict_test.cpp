#include "study/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/axes.h"

namespace ww::study {
namespace {

using report::Conclusion;

/// A predicted row of a transpose on the h200.
Row timed(const char* kernel, int tile, double ms, const char* binds) {
  Row row;
  row[Axis::Kernel] = kernel;
  row[Axis::Gpu] = "h200";
  row[Axis::Device] = "engine";
  row[lab::N] = "1024";
  row[axis_named("tile")] = std::to_string(tile);
  const auto put = [&](const char* tag, double v) {
    row.values.push_back({tag, v, "ms", Provenance::Modelled, ""});
  };
  put("time", ms);
  put("time_low", 0.9 * ms);
  put("time_high", 1.1 * ms);
  put("time_dram", 0.5);
  put("time_shared", ms - 0.5);
  row.values.push_back({"binding", std::string(binds), "", Provenance::Modelled, ""});
  row.values.push_back({"verified", 1.0, "", Provenance::Measured, ""});
  row.values.push_back({"shared_load_wavefronts", ms * 1000, "wavefront", Provenance::Counted, ""});
  return row;
}

Table transposes() {
  Table table;
  table.axes = {{"tile", "", "", false}};
  table.rows = {timed("t/naive", 16, 8, "time_shared"), timed("t/naive", 32, 6, "time_shared"),
                timed("t/padded", 16, 1.5, "time_shared"), timed("t/padded", 32, 1, "time_dram")};
  return table;
}

const Conclusion* said(const std::vector<Conclusion>& all, const std::string& message, int which = 0) {
  for (const Conclusion& c : all)
    if (c.message == message && which-- == 0) return &c;
  return nullptr;
}

const report::Argument* argument_of(const Conclusion& c, const std::string& name) {
  for (const auto& [key, argument] : c.arguments)
    if (key == name) return &argument;
  return nullptr;
}

double number_in(const Conclusion& c, const std::string& name) {
  const auto* v = std::get_if<Value>(argument_of(c, name));
  return v ? v->number() : -1;
}

TEST(Verdict, SaysTheBestAndTheChangesThatWereTried) {
  const auto all = verdict(transposes());
  const Conclusion* best = said(all, "verdict.best");
  ASSERT_TRUE(best);
  EXPECT_EQ(number_in(*best, "by"), 1.5);
  EXPECT_EQ(number_in(*best, "by_last"), 8);
  // The kernel: padded 1 against naive's best, 6. The tile: 32 against 16's best, padded 1.5.
  const Conclusion *kernel = said(all, "verdict.change.axis"), *tile = said(all, "verdict.change.axis", 1);
  ASSERT_TRUE(kernel && tile);
  EXPECT_EQ(std::get<report::MessageName>(*argument_of(*kernel, "axis")).key, "axis.kernel");
  EXPECT_EQ(std::get<std::string>(*argument_of(*kernel, "value")), "padded");
  EXPECT_EQ(std::get<std::string>(*argument_of(*kernel, "other")), "naive");
  EXPECT_EQ(number_in(*kernel, "by"), 6);
  EXPECT_EQ(std::get<std::string>(*argument_of(*tile, "other")), "16");
  EXPECT_EQ(number_in(*tile, "by"), 1.5);
  // Bound by DRAM, half of its time; shared memory, as long, is the next limit.
  const Conclusion* next = said(all, "verdict.change.next");
  ASSERT_TRUE(next);
  EXPECT_EQ(std::get<report::MetricName>(*argument_of(*next, "next")).tag, "time_shared");
  EXPECT_EQ(number_in(*next, "time"), 0.5);
  const Conclusion* why = said(all, "verdict.why.both");
  ASSERT_TRUE(why);
  EXPECT_EQ(number_in(*why, "share"), 50);
  EXPECT_EQ(std::get<report::MetricName>(*argument_of(*why, "last_part")).tag, "time_shared");
  ASSERT_TRUE(said(all, "verdict.sure.band"));
  EXPECT_EQ(number_in(*said(all, "verdict.sure.verified"), "count"), 4);
}

// Most such predictions were too short: the predicted time lies outside the band, and the sentence says why.
TEST(Verdict, ATimeOutsideItsBandIsSaidToBeTooShortOrTooLong) {
  Table table = transposes();
  const auto band = [&](double low, double high) {
    for (Row& row : table.rows)
      for (Value& v : row.values)
        if (const double ms = row.find("time")->number(); v.tag == "time_low" || v.tag == "time_high")
          v.value = ms * (v.tag == "time_low" ? low : high);
    return verdict(table);
  };
  EXPECT_TRUE(said(band(1.03, 1.37), "verdict.sure.band.short"));
  EXPECT_TRUE(said(band(0.6, 0.9), "verdict.sure.band.long"));
  EXPECT_FALSE(said(band(1.03, 1.37), "verdict.sure.band"));
}

TEST(Verdict, NothingIsBetterWithinTheUncertainty) {
  Table table = transposes();
  table.rows = {timed("t/a", 16, 1, "time_dram"), timed("t/b", 16, 1.05, "time_dram"),
                timed("t/c", 16, 1.1, "time_dram")};
  const auto all = verdict(table);
  EXPECT_TRUE(said(all, "verdict.best.all"));
  EXPECT_TRUE(said(all, "verdict.change.none"));
  EXPECT_FALSE(said(all, "verdict.change.axis"));
  EXPECT_FALSE(said(all, "verdict.why.less"));
}

TEST(Verdict, WrongResultsAndMissingTimesAreSaid) {
  Table table = transposes();
  table.rows[0].values.back().value = 0.0;
  for (Value& v : table.rows[0].values)
    if (v.tag == "verified") v.value = 0.0;
  table.rows[1].values.push_back(
      {"not_modelled", std::string("texture_units"), "", Provenance::Modelled, ""});
  const auto all = verdict(table);
  EXPECT_EQ(number_in(*said(all, "verdict.sure.wrong"), "count"), 1);
  EXPECT_FALSE(said(all, "verdict.sure.verified"));
  EXPECT_EQ(number_in(*said(all, "verdict.sure.left_out"), "count"), 1);
}

TEST(Verdict, FewerTransactionsOfOneSizeAreNoReason) {
  // 64 bytes each instead of 32: half as many transactions, none of 32 bytes.
  Table table = transposes();
  const auto put = [&](size_t row, const char* tag, double v) {
    table.rows[row].values.push_back({tag, v, "transaction", Provenance::Counted, ""});
  };
  for (size_t row = 0; row < 4; ++row) {
    const bool best = row == 3;
    put(row, "global_load_transactions", best ? 500 : 1000);
    put(row, "global_load_transactions_32", best ? 0 : 1000);
    put(row, "global_load_transactions_64", best ? 500 : 0);
    std::erase_if(table.rows[row].values, [](const Value& v) { return v.tag == "shared_load_wavefronts"; });
  }
  const auto all = verdict(table);
  const Conclusion* less = said(all, "verdict.why.less");
  ASSERT_TRUE(less);
  EXPECT_EQ(std::get<report::MetricName>(*argument_of(*less, "metric")).tag, "global_load_transactions");
}

// The first study of one's own often has one kernel and one or two sizes.
TEST(Verdict, WithoutRivalsTheLargestSizeHasItsLimits) {
  Table table = transposes();
  table.rows = {timed("t/naive", 16, 2, "time_shared"), timed("t/naive", 16, 8, "time_shared")};
  table.rows[0][lab::N] = "512";
  const auto all = verdict(table);
  const Conclusion* only = said(all, "verdict.best.only");
  ASSERT_TRUE(only);
  EXPECT_EQ(only->rows, std::vector<size_t>{1});
  EXPECT_EQ(number_in(*only, "score"), 8);
  const Conclusion* why = said(all, "verdict.why.binding");
  ASSERT_TRUE(why);
  EXPECT_NEAR(number_in(*why, "share"), 100 * 7.5 / 8, 0.1);
  EXPECT_TRUE(said(all, "verdict.change.next"));
  EXPECT_FALSE(said(all, "verdict.change.none"));
  EXPECT_FALSE(said(all, "verdict.sure.elsewhere"));
}

/// Two kernels of one study of own kernels whose arrays differ (arrays of structures, structure of arrays).
Table own_pair() {
  Table table = transposes();
  table.rows = {timed("aos", 16, 4, "time_dram"), timed("soa", 16, 2, "time_dram"),
                timed("aos", 16, 3, "time_dram")};
  table.rows[2][lab::N] = "512";
  for (Row& row : table.rows) {
    std::erase_if(row.values, [](const Value& v) { return v.tag == "verified"; });
    row.values.push_back({"problem", row[Axis::Kernel], "", Provenance::Input, ""});
    row.values.push_back({"problem_by", std::string("arrays"), "", Provenance::Input, ""});
  }
  return table;
}

// Nobody knows whether they compute the same: no winner, and no "nothing to compare with".
TEST(Verdict, KernelsThatMayDoTheSameStandBesideEachOther) {
  const auto all = verdict(own_pair());
  EXPECT_FALSE(said(all, "verdict.best.only"));
  const Conclusion* beside = said(all, "verdict.best.unsure");
  ASSERT_TRUE(beside);
  EXPECT_EQ(beside->rows, (std::vector<size_t>{1, 0}));
  EXPECT_EQ(number_in(*beside, "by"), 2);
  EXPECT_TRUE(said(all, "verdict.best.unknown"));
}

TEST(Verdict, KernelsThatMayDoTheSameAreNamedBesideAWinner) {
  Table table = own_pair();
  table.rows.push_back(timed("soa", 32, 1, "time_dram"));
  table.rows[3].values.push_back({"problem", std::string("soa"), "", Provenance::Input, ""});
  table.rows[3].values.push_back({"problem_by", std::string("arrays"), "", Provenance::Input, ""});
  const auto all = verdict(table);
  ASSERT_TRUE(said(all, "verdict.best.two"));
  const Conclusion* beside = said(all, "verdict.best.beside");
  ASSERT_TRUE(beside);
  EXPECT_EQ(beside->rows, std::vector<size_t>{0});
  EXPECT_TRUE(said(all, "verdict.best.unknown"));
  EXPECT_FALSE(said(all, "verdict.sure.by_arrays"));  // one kernel, two tiles
}

TEST(Verdict, KernelsOfProblemsThatTheStudyTellsApartAreNotCompared) {
  Table table = own_pair();
  for (Row& row : table.rows)
    for (Value& v : row.values)
      if (v.tag == "problem_by") v.value = std::string("study");
  const auto all = verdict(table);
  EXPECT_TRUE(said(all, "verdict.best.only"));
  EXPECT_FALSE(said(all, "verdict.best.unknown"));
}

TEST(Verdict, WhatIsComparedWithoutVerificationIsSaid) {
  for (const char* by : {"arrays", "study"}) {
    Table table = own_pair();
    for (Row& row : table.rows) {
      std::erase_if(row.values, [](const Value& v) { return v.tag == "problem"; });
      for (Value& v : row.values)
        if (v.tag == "problem_by") v.value = std::string(by);
    }
    const auto all = verdict(table);
    EXPECT_TRUE(said(all, "verdict.best.two"));
    EXPECT_TRUE(said(all, std::string("verdict.sure.by_") + by));
  }
  EXPECT_FALSE(said(verdict(transposes()), "verdict.sure.by_arrays"));
}

// Kernel b has an axis that the best row lacks: no axis says what to change, but not everything is level.
TEST(Verdict, WhatIsSlowerThanTheUncertaintyIsNotSaidToBeLevel) {
  Table table = transposes();
  table.rows = {timed("t/a", 16, 1, "time_dram"), timed("t/b", 16, 1.05, "time_dram"),
                timed("t/b", 32, 4, "time_dram")};
  table.rows[0][axis_named("tile")] = "";
  const auto all = verdict(table);
  EXPECT_TRUE(said(all, "verdict.best.level"));
  EXPECT_FALSE(said(all, "verdict.change.none"));
}

TEST(Verdict, WaitingIsALimitLikeTheUnits) {
  Table table;
  table.rows = {timed("t/naive", 16, 2, "time_shared")};  // 1.5 ms in shared memory, 0.5 in DRAM
  table.rows[0].values.push_back({"time_latency", 0.7, "ms", Provenance::Modelled, ""});
  const auto all = verdict(table);
  const Conclusion* next = said(all, "verdict.change.next");
  ASSERT_TRUE(next);
  EXPECT_EQ(std::get<report::MetricName>(*argument_of(*next, "next")).tag, "time_latency");
  EXPECT_EQ(number_in(*next, "time"), 0.7);
}

TEST(Verdict, NothingIsToBeGainedFromTheLaunchItself) {
  Table table;
  table.rows = {timed("t/naive", 16, 1, "time_launch")};
  table.rows[0].values.push_back({"time_launch", 0.9, "ms", Provenance::Modelled, ""});
  const auto all = verdict(table);
  EXPECT_FALSE(said(all, "verdict.change.next"));
  const Conclusion* next = said(all, "verdict.change.launch");
  ASSERT_TRUE(next);
  EXPECT_EQ(number_in(*next, "share"), 90);
}

TEST(Verdict, ALaunchThatWentWrongIsNoWrongResult) {
  Table table = transposes();
  table.rows[0].values = {{"verified", int64_t{0}, "", Provenance::Measured, ""},
                          {"fault", std::string("out-of-bounds read"), "", Provenance::Measured, ""}};
  const auto all = verdict(table);
  EXPECT_FALSE(said(all, "verdict.sure.wrong"));
  const Conclusion* faults = said(all, "verdict.sure.faults");
  ASSERT_TRUE(faults);
  EXPECT_EQ(number_in(*faults, "count"), 1);
}

TEST(Verdict, ExpectationsThatDoNotHoldAreCounted) {
  EXPECT_FALSE(said(verdict(transposes()), "verdict.sure.not_so"));
  const auto all = verdict(transposes(), 2);
  ASSERT_TRUE(said(all, "verdict.sure.not_so"));
  EXPECT_EQ(number_in(*said(all, "verdict.sure.not_so"), "count"), 2);
}

TEST(Verdict, RowsWithoutTimesHaveNone) {
  Table table = transposes();
  table.rows.resize(1);
  std::erase_if(table.rows[0].values, [](const Value& v) { return v.tag == "time"; });
  EXPECT_TRUE(verdict(table).empty());
}

TEST(Verdict, ConclusionsAreRankedByTheirWorthAndStayTogether) {
  const auto times = [](const char* message, double by, bool goes_on = false) {
    Conclusion c{message, {}, {}, goes_on};
    c.arguments.emplace_back("by", Value{"", by, "", Provenance::Modelled, ""});
    return c;
  };
  const auto out = ranked({times("gpus.level.all", 1), times("best", 1.1), times("band", 1, true),
                           times("less", 2), times("best", 4), times("less.none", 1), times("alike", 1)});
  std::vector<std::string> order;
  for (const Conclusion& c : out) order.push_back(c.message);
  EXPECT_EQ(order, (std::vector<std::string>{"best", "band", "best", "less.none", "less", "gpus.level.all",
                                             "alike"}));
}

TEST(Verdict, ABlockThatFollowsFromATileIsNoChangeOfItsOwn) {
  Table table = transposes();
  const auto changes = [&] {
    std::vector<std::string> axes;
    for (const Conclusion& c : verdict(table))
      if (c.message.ends_with("change.axis"))
        axes.push_back(std::get<report::MessageName>(*argument_of(c, "axis")).key);
    return axes;
  };
  for (Row& row : table.rows) row[Axis::Block] = row[axis_named("tile")] + "x8";
  EXPECT_EQ(changes(), (std::vector<std::string>{"axis.kernel", "axis.tile"}));
  table.rows[0][Axis::Block] = "32x8";  // of the two now one tile has both
  const auto both = changes();
  EXPECT_NE(std::find(both.begin(), both.end(), "axis.block"), both.end());
  // Of three kernels two have the same block, and none another: no block was compared with another.
  table.rows.push_back(timed("t/direct", 16, 7, "time_dram"));
  for (Row& row : table.rows) row[Axis::Block] = row[Axis::Kernel] == "t/direct" ? "16x16" : "32x8";
  const auto each = changes();
  EXPECT_NE(std::find(each.begin(), each.end(), "axis.kernel"), each.end());
  EXPECT_EQ(std::find(each.begin(), each.end(), "axis.block"), each.end());
}

}  // namespace
}  // namespace ww::study
