// Bands of predicted times: deciles by hand, whose group is taken, and what is added for an unknown launch.
#include "study/bands.h"

#include <gtest/gtest.h>

#include "gpus/catalog.h"

namespace ww::study {
namespace {

const Value* value(const Row& row, const char* tag) { return row.find(tag); }

Cell cell(const char* kernel, const gpus::Gpu& gpu, double error) {
  Cell c;
  c.tag = "time";
  c.kernel = *kernels::find_case(kernel);
  c.gpu = &gpu;
  c.published = 2;
  c.counted = 2 * (1 + error);
  return c;
}

TEST(Bands, AreTheOuterDecilesOfTheErrors) {
  const gpus::Gpu h200 = *gpus::find_gpu("h200"), t4 = *gpus::find_gpu("t4");
  std::vector<Cell> cells;
  // -50, -40, … +50 %: a tenth of the eleven lies below -40, and above +40.
  for (int i = 0; i <= 10; ++i) cells.push_back(cell("matmul/tiled", h200, 0.1 * i - 0.5));
  cells.push_back(cell("sum/atomic", t4, 0.2));
  cells.push_back(cell("sum/atomic", t4, 0.3));
  cells.back().missing = "refused";
  const Table table = error_bands(cells);
  // All, two kinds, two GPUs, and each kind on its GPU.
  ASSERT_EQ(table.rows.size(), 7u);
  for (const Row& row : table.rows) {
    if (row[Axis::Kernel] == "matmul" && row[Axis::Gpu] == "h200") {
      EXPECT_EQ(value(row, "compared")->number(), 11);
      EXPECT_DOUBLE_EQ(value(row, "low")->number(), -40);
      EXPECT_DOUBLE_EQ(value(row, "high")->number(), 40);
    }
    if (row[Axis::Kernel] == "sum") {
      EXPECT_EQ(value(row, "compared")->number(), 1);
      EXPECT_DOUBLE_EQ(value(row, "low")->number(), 20);
    }
  }
}

Row predicted_row(const char* kernel, const char* gpu, double ms) {
  Row row;
  row[Axis::Kernel] = kernel;
  row[Axis::Gpu] = gpu;
  row.values = {{"time", ms, "ms", Provenance::Modelled, ""},
                {"binding", std::string("x"), "", Provenance::Modelled, ""}};
  return row;
}

TEST(Bands, StandBehindEachPredictedTime) {
  Table table;
  table.rows = {predicted_row("matmul/tiled", "h200", 1), predicted_row("simt/vote", "h200", 1),
                predicted_row("matmul/tiled", "rtx5090", 1), predicted_row("simt/lock_lanes", "h200", 1)};
  table.rows[3].values.push_back(
      {"not_modelled", std::string("lock_attempts"), "", Provenance::Modelled, ""});
  add_bands(table, {});
  for (size_t i : {0, 1, 2}) {
    const Row& row = table.rows[i];
    ASSERT_EQ(row.values[1].tag, "time_low");
    ASSERT_EQ(row.values[2].tag, "time_high");
    EXPECT_EQ(row.values[1].unit, "ms");
    EXPECT_GT(row.values[1].number(), 0.3);
    EXPECT_LT(row.values[1].number(), row.values[2].number());
    EXPECT_LT(row.values[2].number(), 4);
    EXPECT_EQ(row.values[3].tag, "binding");
  }
  EXPECT_NE(table.rows[0].values[1].description.find("matmul on h200"), std::string::npos);
  // No time of such a kernel was measured: that of all on the GPU. No time on the GPU: that of the kind.
  EXPECT_NE(table.rows[1].values[1].description.find("all kernels on h200"), std::string::npos);
  EXPECT_NE(table.rows[2].values[1].description.find(" matmul: "), std::string::npos);
  EXPECT_EQ(value(table.rows[3], "time_high"), nullptr);  // too short by nobody knows how much
  const size_t count = table.rows[0].values.size();
  add_bands(table, {});
  EXPECT_EQ(table.rows[0].values.size(), count);
}

TEST(Bands, AnUnknownLaunchOverheadMayBeTheLargestKnown) {
  double largest = 0;
  for (const auto& gpu : gpus::known_gpus())
    if (gpu.launch_overhead) largest = std::max(largest, gpu.launch_overhead->value * 1e-3);
  ASSERT_GT(largest, 0);
  gpus::Gpu known = *gpus::find_gpu("rtx5090");
  ASSERT_FALSE(known.launch_overhead);
  Table without, with;
  without.rows = with.rows = {predicted_row("matmul/tiled", "rtx5090", 1)};
  add_bands(without, {});
  known.launch_overhead = gpus::Rate{1, "a test"};
  add_bands(with, std::span(&known, 1));
  EXPECT_NEAR(value(without.rows[0], "time_high")->number() - value(with.rows[0], "time_high")->number(),
              largest, 1e-12);
  EXPECT_EQ(value(without.rows[0], "time_low")->number(), value(with.rows[0], "time_low")->number());
}

}  // namespace
}  // namespace ww::study
