// Longer rows, tried on a run's addresses, against the kernel that has them.
#include "watch/padding.h"

#include <gtest/gtest.h>

#include "gpus/catalog.h"

namespace ww::watch {
namespace {

PaddingTrial trial(const char* kernel, int block, const char* gpu, int n = 64) {
  kernels::Config config;
  config.n = n;
  config.shape.block = block;
  const std::atomic<bool> stop = false;
  auto found = try_padding(**kernels::find_case(kernel), config, *gpus::find_gpu(gpu), stop);
  EXPECT_TRUE(found) << (found ? "" : found.error()[0].message);
  EXPECT_EQ(found->size(), 1u);
  return found->at(0);
}

TEST(Padding, GivesWhatThePaddedKernelTakes) {
  for (const char* gpu : {"h200", "c2070", "gtx280"})
    for (int block : {16, 32}) {
      if (block == 32 && std::string(gpu) == "gtx280") continue;  // 512 threads at most
      const PaddingTrial plain = trial("aat/plain", block, gpu);
      ASSERT_EQ(plain.better.size(), 1u) << gpu;
      EXPECT_EQ(plain.better[0].array, "At");
      EXPECT_EQ(plain.better[0].columns, static_cast<uint64_t>(block));
      EXPECT_EQ(plain.better[0].words, 1u);
      EXPECT_EQ(plain.more_bytes, 4u * static_cast<uint64_t>(block));
      EXPECT_GT(plain.before.conflicts, 0u);
      const PaddingTrial padded = trial("aat/padded", block, gpu);
      EXPECT_EQ(plain.after.loads, padded.before.loads) << gpu << " " << block;
      EXPECT_EQ(plain.after.stores, padded.before.stores) << gpu << " " << block;
      EXPECT_EQ(plain.after.conflicts, padded.before.conflicts) << gpu << " " << block;
      EXPECT_TRUE(padded.better.empty()) << gpu;
    }
}

TEST(Padding, IsNotAdvisedWhereNothingConflicts) {
  const PaddingTrial tiled = trial("matmul/tiled", 32, "h200");
  EXPECT_TRUE(tiled.better.empty());
  EXPECT_TRUE(tiled.in_vain.empty());
  EXPECT_EQ(tiled.before.conflicts, 0u);
  EXPECT_GT(tiled.before.all(), 0u);
}

}  // namespace
}  // namespace ww::watch
