// Launches of known cost, continued to a larger size.
#include <gtest/gtest.h>

#include "model/continued.h"

namespace {

using namespace ww::model;

constexpr int64_t kTile = 32;

/// Tiles of 32 × 32 by 64 threads: 100 instructions and 7 more for each step along k.
Activity tiles(int64_t n, int64_t blocks) {
  Activity a;
  a.threads_per_block = 64;
  a.blocks = blocks;
  const auto all = static_cast<double>((n / kTile) * (n / kTile)), k = static_cast<double>(n);
  a.fp32 = all * (100 + 7 * k);
  a.global_load_sectors = all * 4 * k;
  a.l2_read_sectors = all * k;  // a quarter goes past L1
  a.global_rounds = all * (3 + k) / a.warps();
  a.rounds_past_l1 = a.global_rounds / 2;
  a.alu_chain = all * (20 + 3 * k) / a.warps();
  a.dram_bytes_read = 8 * k * k;
  a.overlap = 0.5;
  return a;
}
int64_t every_tile(int64_t n) { return (n / kTile) * (n / kTile); }

void expect_same(const Activity& a, const Activity& b) {
  for (const ActivityField& field : activity_fields())
    if (field.number) {
      EXPECT_NEAR(a.*field.number, b.*field.number, 1e-9 * b.*field.number) << field.key;
    } else {
      EXPECT_EQ(a.*field.count, b.*field.count) << field.key;
    }
}

TEST(Continued, ABlockForEachTile) {
  const Activity out = continued({128, tiles(128, every_tile(128))}, {256, tiles(256, every_tile(256))}, 2048,
                                 every_tile(2048), false);
  expect_same(out, tiles(2048, every_tile(2048)));
}

TEST(Continued, BlocksThatStayTakeTileAfterTile) {
  const Activity out =
      continued({128, tiles(128, every_tile(128))}, {256, tiles(256, every_tile(256))}, 2048, 132, true);
  expect_same(out, tiles(2048, 132));
}

// A kernel of rows: a block holds 1024 elements of one, and 256 of them keep a quarter of its warps busy.
TEST(Continued, AGridOfHalfEmptyBlocksIsNoMeasure) {
  const auto rows = [](int64_t n) {
    Activity a;
    a.threads_per_block = 1024;
    a.blocks = n * ((n + 1023) / 1024);
    a.fp32 = static_cast<double>(n * n) * 3;
    return a;
  };
  const Activity out = continued({256, rows(256)}, {512, rows(512)}, 4096, rows(4096).blocks, false);
  EXPECT_NEAR(out.fp32, rows(4096).fp32, 1);
}

TEST(Continued, OneBlockForBothSizesIsWorkThatGrowsWithK) {
  Activity a = tiles(128, 1), b = tiles(256, 1);
  a.fp32 = b.fp32 = 256 * 7;
  EXPECT_NEAR(continued({128, a}, {256, b}, 1024, 9, false).fp32, 9 * 1024 * 7, 1e-6);
}

}  // namespace
