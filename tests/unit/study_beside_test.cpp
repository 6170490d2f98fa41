// Formulas and published numbers beside counted ones.
#include "study/beside.h"

#include <gtest/gtest.h>

namespace ww::study {
namespace {

Row row_of(const char* kernel, const char* gpu, const char* n, const char* block) {
  Row row;
  row[Axis::Kernel] = kernel;
  row[Axis::Gpu] = gpu;
  row[Axis::N] = n;
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
  row[Axis::Rx] = row[Axis::Ry] = "1";
  const Cell* printed = nullptr;
  for (const Cell& cell : published_cells())
    if (cell.file == "gtx1080_matmul_tiles.csv" && cell.config.n == 1600 &&
        cell.config.shape == kernels::Shape{16, 1, 1} && cell.tag == "shared_load_wavefronts")
      printed = &cell;
  ASSERT_NE(printed, nullptr);
  row.values.push_back(
      {"shared_load_wavefronts", printed->published * 2, "wavefront", Provenance::Counted, ""});
  table.rows.push_back(row);
  table.rows[1][Axis::N] = "1601";
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
