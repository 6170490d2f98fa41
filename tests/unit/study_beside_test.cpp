// Formulas and published numbers beside counted ones.
#include "study/beside.h"

#include <gtest/gtest.h>

#include "kernels/axes.h"

namespace ww::study {
namespace {

Row row_of(const char* kernel, const char* gpu, const char* n, const char* block) {
  Row row;
  row[Axis::Kernel] = kernel;
  row[Axis::Gpu] = gpu;
  row[lab::N] = n;
  row[Axis::Block] = block;
  return row;
}

const Value* find(const Row& row, const char* tag, Provenance provenance) {
  for (const Value& v : row.values)
    if (v.tag == tag && v.provenance == provenance) return &v;
  return nullptr;
}

TEST(Published, StandsBesideOursWithTheRatio) {
  // data/published/gtx1080_matmul_tiles.csv: shared_load_transactions of 1x1, block 16, N = 1600 is printed
  // there.
  Table table;
  table.rows.push_back(row_of("matmul/tiles", "gtx1080", "1600", "16"));
  Row& row = table.rows[0];
  row[lab::Rx] = row[lab::Ry] = "1";
  const Cell* printed = nullptr;
  for (const Cell& cell : published_cells())
    if (cell.file == "gtx1080_matmul_tiles.csv" && cell.config.n == 1600 &&
        cell.config.shape == kernels::Shape{16, 1, 1} && cell.tag == "shared_load_wavefronts")
      printed = &cell;
  ASSERT_NE(printed, nullptr);
  row.values.push_back(
      {"shared_load_wavefronts", printed->published * 2, "wavefront", Provenance::Counted, ""});
  table.rows.push_back(row);
  table.rows[1][lab::N] = "1601";
  add_published(table, published_cells());
  const Value* published = find(table.rows[0], "shared_load_wavefronts", Provenance::Published);
  ASSERT_NE(published, nullptr);
  EXPECT_EQ(published->number(), printed->published);
  EXPECT_EQ(published->unit, "wavefront");
  const Value* ratio = find(table.rows[0], "shared_load_wavefronts_of_published", Provenance::Counted);
  ASSERT_NE(ratio, nullptr);
  EXPECT_DOUBLE_EQ(ratio->number(), 2);
  EXPECT_EQ(table.rows[1].values.size(), 1u);  // another size
  const size_t count = table.rows[0].values.size();
  add_published(table, published_cells());
  EXPECT_EQ(table.rows[0].values.size(), count);
}

/// Published and ours, under one tag, for a row that has this modelled value.
std::pair<double, double> published_of(Row row, const char* tag, double ours, const char* unit) {
  Table table;
  row.values.push_back({tag, ours, unit, Provenance::Modelled, ""});
  table.rows.push_back(row);
  add_published(table, published_cells());
  const Value* published = find(table.rows[0], tag, Provenance::Published);
  const Value* ratio =
      find(table.rows[0], (std::string(tag) + "_of_published").c_str(), Provenance::Modelled);
  return {published ? published->number() : -1, ratio ? ratio->number() : -1};
}

TEST(Published, TimesAndRatesToo) {
  using Pair = std::pair<double, double>;
  // The GT 240 report: v1, block 8, n = 176 takes 49.860 ms; v4a 16 × 16 has an occupancy of 100 %.
  const Row ladder = row_of("matmul/one_block", "gt240", "176", "8");
  EXPECT_EQ(published_of(ladder, "time", 99.72, "ms"), Pair(49.860, 2));
  EXPECT_GT(published_of(ladder, "gflops", 1, "GFlop/s").first, 0);
  EXPECT_GT(published_of(ladder, "gips_sm", 1, "10^9 instr/s").first, 0);
  EXPECT_EQ(published_of(ladder, "occupancy_theoretical", 50, "%").first, -1);  // of a launch of one block
  EXPECT_GT(published_of(row_of("matmul/grid", "gt240", "64", "16"), "occupancy_theoretical", 50, "%").first,
            0);
  // The GTX 1080 report: 1x1, block 16, N = 1600: duration 1.12E+01 ms, efficiency 7.29E+02,
  // intensity 8.11E+00.
  Row tiles = row_of("matmul/tiles", "gtx1080", "1600", "16");
  tiles[lab::Rx] = tiles[lab::Ry] = "1";
  EXPECT_EQ(published_of(tiles, "time", 5.6, "ms"), Pair(11.2, 0.5));
  EXPECT_EQ(published_of(tiles, "gflops", 729, "GFlop/s"), Pair(729, 1));
  EXPECT_EQ(published_of(tiles, "intensity", 8.11, "flop/byte"), Pair(8.11, 1));
  EXPECT_EQ(published_of(tiles, "occupancy_achieved", 99.56, "%"), Pair(99.56, 1));
  // The RTX 4070 SUPER report: N = 2000, R = 4, block 8, K = 1: 20.08 flop/byte.
  Row box = row_of("box_sum/direct", "rtx4070s", "2000", "8");
  box[lab::R] = "4", box[lab::K] = "1";
  EXPECT_EQ(published_of(box, "intensity", 20.08, "flop/byte"), Pair(20.08, 1));
  EXPECT_GT(published_of(box, "time", 1, "ms").first, 0);
  EXPECT_GT(published_of(box, "gflops", 1, "GFlop/s").first, 0);
  // The book: matmult1 with n = 2048 on the C2070.
  EXPECT_GT(published_of(row_of("aat/plain", "c2070", "2048", "32"), "time", 1, "ms").first, 0);
  // The H200: 0.17459 ms by itself (h200_times.csv); under the profiler it takes longer.
  EXPECT_EQ(published_of(row_of("aat/plain", "h200", "640", "16"), "time", 0.17459, "ms"), Pair(0.17459, 1));
}

TEST(Published, TheLectureHoldsForAnySize) {
  Table table;
  for (const char* n : {"128", "1024"}) table.rows.push_back(row_of("matmul/grid", "gtx280", n, "16"));
  table.rows.push_back(row_of("matmul/grid", "gtx280", "128", "8"));
  add_published(table, published_cells());
  for (size_t i : {0, 1}) {
    EXPECT_EQ(find(table.rows[i], "bandwidth_bound", Provenance::Published)->number(), 66.8);  // the lecture
    EXPECT_EQ(find(table.rows[i], "gflops", Provenance::Published)->number(), 36.6);
  }
  EXPECT_TRUE(table.rows[2].values.empty());
}

TEST(Theory, StandsBesideRowsWithAGpu) {
  Table table;
  table.rows.push_back(row_of("matmul/tiled", "gtx280", "1024", "16"));
  table.rows.push_back(row_of("matmul/tiled", "", "1024", "16"));
  table.rows.push_back(row_of("nothing/such", "gtx280", "1024", "16"));
  add_theory(table, {"cgma", "no_such_tag"}, {});
  ASSERT_EQ(table.rows[0].values.size(), 1u);
  EXPECT_EQ(table.rows[0].values[0].number(), 16);  // 2·BS / (1/1 + 1/1)
  EXPECT_EQ(table.rows[0].values[0].provenance, Provenance::Theory);
  EXPECT_TRUE(table.rows[1].values.empty());
  EXPECT_TRUE(table.rows[2].values.empty());
}

}  // namespace
}  // namespace ww::study
