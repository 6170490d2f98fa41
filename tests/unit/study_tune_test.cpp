// What is chosen, from predictions and measurements written down here.
#include <gtest/gtest.h>

#include "kernels/axes.h"
#include "study/tune.h"

namespace {

using namespace ww;
using namespace ww::study;

Row prediction(const std::string& kernel, double ms, double low, double high,
               const std::string& problem = "") {
  Row row;
  row[Axis::Study] = "tune-matmul", row[Axis::Kernel] = kernel, row[Axis::Gpu] = "h200";
  row[Axis::Device] = "engine", row[lab::N] = "512";
  row.values = {{"time", ms, "ms", Provenance::Modelled, ""},
                {"time_low", low, "ms", Provenance::Modelled, ""},
                {"time_high", high, "ms", Provenance::Modelled, ""}};
  if (!problem.empty()) row.values.push_back({"problem", problem, "", Provenance::Input, ""});
  return row;
}

Table three() {
  return {"",
          {prediction("matmul/slow", 9, 9, 12), prediction("matmul/fast", 1, 1, 2),
           prediction("matmul/near", 1.5, 1.5, 3)},
          {}};
}

TEST(Tune, RanksByPredictedTime) {
  const Table table = three();
  const auto all = rank_predictions(table);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].ranking.rows, (std::vector<size_t>{1, 2, 0}));
  EXPECT_EQ(all[0].best(), 0u);
  EXPECT_FALSE(all[0].loss());
  EXPECT_EQ(as_good_as_first(table, all[0]), 2u);  // 1 to 2 and 1.5 to 3 overlap, 9 to 12 does not
}

TEST(Tune, WhatIsMeasuredDecides) {
  const Table table = three();
  Tuned tuned = rank_predictions(table)[0];
  tuned.measured = {2.0, 1.6};
  EXPECT_EQ(tuned.best(), 1u);
  EXPECT_DOUBLE_EQ(*tuned.loss(), 1.25);
  const Row kept = kept_row(table, tuned);
  EXPECT_EQ(kept[Axis::Kernel], "matmul/near");
  EXPECT_EQ(kept.find("time")->number(), 1.6);
  EXPECT_EQ(kept.find("time")->provenance, Provenance::Measured);
}

TEST(Tune, AWrongResultIsNoCandidate) {
  const Table table = three();
  Tuned tuned = rank_predictions(table)[0];
  tuned.measured = {std::nullopt, 1.6};
  EXPECT_EQ(tuned.best(), 1u);
  EXPECT_FALSE(tuned.loss());
}

TEST(Tune, TheTableShowsTheBestEvenIfItIsRankedLow) {
  const Table table = three();
  Tuned tuned = rank_predictions(table)[0];
  tuned.measured = {2.0, 3.0, 1.0};
  const Table shown = tuning_table(table, tuned, 1);
  ASSERT_EQ(shown.rows.size(), 2u);
  EXPECT_EQ(shown.rows[1][Axis::Kernel], "matmul/slow");
  EXPECT_EQ(shown.rows[1].find("rank")->number(), 3);
}

TEST(Tune, ProblemsOfAFamilyAreToldApart) {
  const Table table{
      "",
      {prediction("matmul/a", 1, 1, 1), prediction("matmul/b", 2, 2, 2),
       prediction("matmul/c", 0.5, 0.5, 0.5, "bf16"), prediction("matmul/d", 0.7, 0.7, 0.7, "bf16")},
      {}};
  const auto all = rank_predictions(table);
  ASSERT_EQ(all.size(), 2u);
  for (const Tuned& t : all) EXPECT_EQ(t.ranking.rows.size(), 2u);
}

TEST(Tune, KeepsOneForEachProblemAndNoPredictionInPlaceOfAMeasurement) {
  const Table table = three();
  Tuned tuned = rank_predictions(table)[0];
  Table known;
  keep(known, kept_row(table, tuned));
  ASSERT_EQ(known.rows.size(), 1u);
  EXPECT_EQ(known.rows[0][Axis::Kernel], "matmul/fast");
  tuned.measured = {2.0, 1.6};
  keep(known, kept_row(table, tuned));
  ASSERT_EQ(known.rows.size(), 1u);
  EXPECT_EQ(known.rows[0][Axis::Kernel], "matmul/near");
  tuned.measured.clear();
  keep(known, kept_row(table, tuned));
  EXPECT_EQ(known.rows[0][Axis::Kernel], "matmul/near");
}

TEST(Tune, WhatTheModelCannotRankIsLeftToMeasuring) {
  Table table = three();
  table.rows[1].values.push_back({"not_modelled", std::string("bulk_units"), "", Provenance::Modelled, ""});
  Tuned tuned = rank_predictions(table)[0];
  EXPECT_EQ(tuned.ranking.rows, (std::vector<size_t>{2, 0, 1}));
  EXPECT_EQ(tuned.ranked, 2u);
  EXPECT_EQ(as_good_as_first(table, tuned), 1u);
  tuned.measured = {2.0, std::nullopt, 1.0};
  EXPECT_EQ(kept_row(table, tuned)[Axis::Kernel], "matmul/fast");
  const Table shown = tuning_table(table, tuned, 10);
  EXPECT_EQ(shown.rows[2].find("rank"), nullptr);
}

TEST(Tune, OneBlockIsNotTriedOnALargeGpu) {
  const auto study = everything_of("matmul", 1024, 0);
  auto items = select(*study, {});
  ASSERT_TRUE(items);
  const auto dropped = drop_small_grids(*items, 132);
  EXPECT_NE(std::find(dropped.begin(), dropped.end(), "matmul/one_block"), dropped.end());
  for (const Item& item : *items)
    if (item.kernel->name == "matmul/one_block") {
      EXPECT_FALSE(kernels::make_plan(*item.kernel, item.config));
    }
}
TEST(Tune, ASmallProblemKeepsItsSmallGrids) {
  const auto study = everything_of("matmul", 16, 0);
  Selection selection;
  selection.kernels = {"one_block", "grid"};
  selection.blocks = {16};
  auto items = select(*study, selection);
  ASSERT_TRUE(items);
  EXPECT_TRUE(drop_small_grids(*items, 132).empty());
}

TEST(Tune, TimesFromElsewhereTakeTheMeasurementsPlace) {
  Table table = three();
  table.rows[2][lab::Rx] = "4";
  Table elsewhere;
  const auto add = [&](const std::string& kernel, double ms, int64_t verified) {
    Row& row = elsewhere.rows.emplace_back(prediction(kernel, 0, 0, 0));
    row[Axis::Study] = "another", row[Axis::Device] = "gpu0";
    row.values = {{"time", ms, "ms", Provenance::Measured, ""},
                  {"verified", verified, "", Provenance::Measured, ""}};
  };
  add("matmul/fast", 2, 1);
  add("matmul/near", 1, 1);  // of another shape
  add("matmul/slow", 1.6, 1);
  Tuned tuned = rank_predictions(table)[0];
  ASSERT_TRUE(take_measured(table, elsewhere, tuned));
  EXPECT_DOUBLE_EQ(*tuned.loss(), 1.25);
  EXPECT_EQ(kept_row(table, tuned)[Axis::Kernel], "matmul/slow");
  elsewhere.rows[2].values[1].value = int64_t{0};
  ASSERT_TRUE(take_measured(table, elsewhere, tuned));
  EXPECT_DOUBLE_EQ(*tuned.loss(), 1);
  elsewhere.rows.clear();
  EXPECT_FALSE(take_measured(table, elsewhere, tuned));
  EXPECT_TRUE(tuned.measured.empty());
}

TEST(Tune, NamesTheFamiliesThereAre) {
  const auto none = everything_of("simt", 64, 1);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error()[0].hint.find("box_sum"), std::string::npos);
  for (const std::string& family : tuned_families()) {
    const auto study = everything_of(family, 64, 1);
    ASSERT_TRUE(study);
    EXPECT_GE(study->full.size(), 2u) << family;
  }
}

}  // namespace
