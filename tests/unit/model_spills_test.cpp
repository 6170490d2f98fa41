// Spilled words and the caches, by hand.
#include "model/spills.h"

#include <gtest/gtest.h>

#include "gpus/catalog.h"

namespace ww::model {
namespace {

// Tables of the Poisson distribution: P(X >= 8) is 0.5470 for a mean of 8, 0.0511 for 4, 0.9900 for 16.
TEST(Lost, IsWhatOverfullSetsDoNotKeep) {
  EXPECT_NEAR(lost(1000, 1000), 0.5470, 5e-5);
  EXPECT_NEAR(lost(500, 1000), 0.0511, 5e-5);
  EXPECT_NEAR(lost(2000, 1000), 0.9900, 5e-5);
  EXPECT_EQ(lost(1000, 0), 1);
  EXPECT_EQ(lost(0, 1000), 0);
}

/// One load and one store of each of `words` by each warp of blocks of 256 threads.
Activity with_spills(int64_t blocks, double words) {
  Activity a;
  a.blocks = blocks, a.threads_per_block = 256, a.registers = 255;
  const double accesses = static_cast<double>(blocks) * 8 * words;
  add_spills(a, {accesses, accesses, words}, *gpus::find_gpu("h200"));
  return a;
}

// 400 words of 256 threads are 400 KiB: more than an SM's L1 of 256 KiB, however few SMs have a block; 25
// times that is a sixth of the L2 of 60 MiB.
TEST(Spills, OfAFewBlocksPassTheirOwnL1) {
  const Activity a = with_spills(25, 400);
  const double sectors = 25.0 * 8 * 400 * 4;
  EXPECT_GT(a.l2_read_sectors, 0.9 * sectors);
  EXPECT_EQ(a.l2_write_sectors, sectors);
  EXPECT_EQ(a.global_store_sectors, sectors);
  EXPECT_LT(a.dram_bytes_read + a.dram_bytes_written, 0.01 * 32 * sectors);
}

TEST(Spills, ThatFitL1AreWrittenThroughIt) {
  const Activity a = with_spills(132, 20);
  EXPECT_LT(a.l2_read_sectors, 1e-3 * a.l2_write_sectors);
}

// Two blocks for each SM in two rounds would be no more resident than one: 132 · 400 KiB, most of the L2.
TEST(Spills, OfAllSmsLeaveL2AsFarAsItIsFull) {
  const Activity a = with_spills(264, 400);
  EXPECT_GT(a.dram_bytes_written, 0.2 * 32 * a.l2_write_sectors);
  EXPECT_LT(a.dram_bytes_written, 0.6 * 32 * a.l2_write_sectors);
}

}  // namespace
}  // namespace ww::model
