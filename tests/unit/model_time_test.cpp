// The time model: queueing against closed forms, parts against hand computation, and what must hold for every
// launch.
#include <gtest/gtest.h>

#include "model/queue.h"
#include "model/time.h"
#include "model_activity_data.h"
#include "model_data.h"

namespace ww::model {
namespace {

Time predicted(const gpus::Gpu& gpu, const Activity& a) {
  auto time = predict_time(gpu, a);
  if (!time) ADD_FAILURE() << render(time.error());
  return time ? *time : Time{};
}

TEST(Queue, ClosedForms) {
  const double one[] = {3.0}, two[] = {2.0, 2.0};
  EXPECT_DOUBLE_EQ(round_time(1, one, 5), 8);   // alone: delay and service
  EXPECT_DOUBLE_EQ(round_time(7, one, 0), 21);  // no delay: the server is always busy
  // Balanced network of K stations without delay: n + K - 1 services a round.
  EXPECT_DOUBLE_EQ(round_time(5, two, 0), 2 * (5 + 2 - 1));
  EXPECT_NEAR(round_time(1000, one, 50) / 1000, 3, 1e-9);
  EXPECT_DOUBLE_EQ(round_time(10, {}, 5), 5);
  // Machine repairman, two customers, service 1, delay 1: the server idles 1 / (1 + 2 + 2), so 0.8 a unit of
  // time.
  const double unit[] = {1.0};
  EXPECT_DOUBLE_EQ(round_time(2, unit, 1), 2 / 0.8);
}

/// 132 SMs, one block of 256 threads each.
Activity one_block_each() {
  Activity a;
  a.blocks = 132, a.threads_per_block = 256, a.registers = 32;
  return a;
}

TEST(TimeModel, NothingTakesTheLaunch) {
  const auto gpu = gpu_of("h200");
  auto t = predicted(gpu, one_block_each());
  EXPECT_NEAR(t.total, *gpu.launch_overhead * 1e-3 + 132 * *gpu.block_interval * 1e-6, 1e-9);
  EXPECT_EQ(t.binding, "time_launch");
}

TEST(TimeModel, PartsByHand) {
  const auto gpu = gpu_of("h200");
  const double clocks = 1980e3 * 132;  // SM clocks of a millisecond
  Activity a = one_block_each();
  a.shared_load_wavefronts = clocks;  // one a clock
  a.dram_bytes_read = 4201.4e6 / 2;   // half a millisecond
  a.fp32 = 4 * clocks;                // 128 lanes
  a.load_store = clocks / 4;          // 32 lanes
  auto t = predicted(gpu, a);
  EXPECT_NEAR(t.part("time_shared"), 1, 1e-9);
  EXPECT_NEAR(t.part("time_dram"), 0.5, 1e-9);
  EXPECT_NEAR(t.part("time_fp32"), 66908.16 / 61000,
              1e-9);  // a loop of multiply-adds reaches 61 of 67 TFLOP/s
  EXPECT_NEAR(t.part("time_load_store"), 0.25, 1e-9);
  EXPECT_NEAR(t.part("time_issue"), 1.0625, 1e-9);
  EXPECT_EQ(t.binding, "time_fp32");
  EXPECT_NEAR(t.total, t.busiest() + t.tail + t.latency + t.barriers + t.launch, 1e-9);
}

TEST(TimeModel, OldGpuByHand) {
  const auto gpu = gpu_of("gt240");
  Activity a;
  a.blocks = 12, a.threads_per_block = 256, a.registers = 10;
  a.fp32 = 1400e3 * 12 / 4;  // an instruction takes four clocks
  EXPECT_NEAR(predicted(gpu, a).part("time_issue"), 1, 1e-9);
  a.shared_load_wavefronts = 1400e3 * 12 / 2, a.shared_conflicts = 1400e3 * 12 / 4;
  EXPECT_NEAR(predicted(gpu, a).part("time_shared"), 1, 1e-9);   // half-warps of two clocks
  EXPECT_NEAR(predicted(gpu, a).part("time_issue"), 1.5, 1e-9);  // conflicts are issued again
}

TEST(TimeModel, OneWarpWaitsForItsChain) {
  const auto gpu = gpu_of("h200");
  Activity a;
  a.blocks = 1, a.threads_per_block = 32, a.registers = 16;
  a.fp32 = a.alu_chain = 1980e3;  // four clocks each
  EXPECT_NEAR(predicted(gpu, a).total - *gpu.launch_overhead * 1e-3, 4,
              0.03);  // its lanes are 9 % slower than issue
  a = {.blocks = 1, .threads_per_block = 32, .registers = 16};
  a.global_rounds = 1980e3 / 650.2,  // data/measured/h200-counters/calibrate.csv
      a.rounds_past_l1 = a.rounds_past_l2 = a.global_rounds;
  EXPECT_NEAR(predicted(gpu, a).total - *gpu.launch_overhead * 1e-3, 1, 0.01);
}

TEST(TimeModel, TailAndWaves) {
  auto gpu = gpu_of("h200");
  Activity a = one_block_each();
  a.shared_load_wavefronts = 1980e3 * 132;
  const double even = predicted(gpu, a).total;
  a.blocks = 133, a.shared_load_wavefronts *= 133.0 / 132;
  auto t = predicted(gpu, a);
  EXPECT_NEAR((t.total - t.launch) / (even - t.launch), 2, 0.01);  // one SM has two blocks
  EXPECT_NEAR(t.sm_efficiency, 100 * 133.0 / 264, 0.5);
  EXPECT_NEAR(t.waves, 133.0 / (132 * 8), 1e-12);
}

TEST(TimeModel, BarriersExposeLatency) {
  const auto gpu = gpu_of("h200");
  Activity a = one_block_each();
  a.fp32 = 4 * 1980e3 * 132, a.global_rounds = 1000;
  a.overlap = 1;
  const double prefetched = predicted(gpu, a).total;
  a.overlap = 0;
  auto apart = predicted(gpu, a);
  EXPECT_GT(apart.total, prefetched);
  EXPECT_GT(apart.barriers, 0);
  // More resident blocks hide it.
  a.blocks *= 8, a.fp32 *= 8;
  EXPECT_LT(predicted(gpu, a).barriers / predicted(gpu, a).total, apart.barriers / apart.total);
}

TEST(TimeModel, RefusedLaunch) {
  Activity a = one_block_each();
  a.threads_per_block = 1024, a.registers = 95;  // the 5x6 tile with blocks of 32 x 32
  EXPECT_FALSE(predict_time(gpu_of("gtx1080"), a).ok());
  a.blocks = 0;
  EXPECT_FALSE(predict_time(gpu_of("gtx1080"), a).ok());
}

TEST(TimeModel, MissingFiguresAreNamed) {
  Activity a = one_block_each();
  a.global_rounds = 10, a.fp32 = a.load_store = 1000;
  auto t = predicted(gpu_of("rtx4070s"), a);
  EXPECT_NE(std::find(t.missing.begin(), t.missing.end(), "dram_latency"), t.missing.end());
  EXPECT_TRUE(predicted(gpu_of("h200"), a).missing.empty());
}

class Invariants : public testing::TestWithParam<const char*> {};

/// A better GPU is never slower, more work never faster, and the parts add up, for every known launch.
TEST_P(Invariants, Hold) {
  const auto gpu = gpu_of(GetParam());
  for (const auto& row : known_activities(GetParam())) {
    const Activity& a = row.activity;
    const auto t = predicted(gpu, a);
    const double total = t.total, slack = 1e-9 * total;
    EXPECT_NEAR(total, t.busiest() + t.tail + t.latency + t.barriers + t.launch, 1e-9 * total) << row.label;
    EXPECT_GE(total + slack, t.busiest()) << row.label;
    EXPECT_GE(std::min({t.tail, t.latency, t.barriers}), -slack) << row.label;
    EXPECT_LE(t.sm_efficiency, 100 + 1e-9);
    EXPECT_LE(t.achieved_occupancy, t.occupancy.percent + 1e-9);
    auto better = [&](auto change) {
      auto other = gpu;
      change(other);
      EXPECT_LE(predicted(other, a).total, total + slack) << row.label;
    };
    better([](auto& g) { g.dram_bandwidth.value *= 2; });
    better([](auto& g) {
      if (g.dram_bandwidth_measured) g.dram_bandwidth_measured->value *= 2;
    });
    better([](auto& g) {
      if (g.l2_bandwidth) g.l2_bandwidth->value *= 2;
    });
    better([](auto& g) { g.fp32.value *= 2; });
    better([](auto& g) {
      if (g.shared_bank_bandwidth) g.shared_bank_bandwidth->value *= 2;
    });
    better([](auto& g) {
      if (g.dram_latency) g.dram_latency->value /= 2;
    });
    better([](auto& g) {
      if (g.shared_latency) g.shared_latency->value /= 2;
    });
    auto worse = [&](auto change, double within = 1e-9) {
      auto other = a;
      change(other);
      EXPECT_GE(predicted(gpu, other).total, total * (1 - within)) << row.label;
    };
    worse([](auto& x) { x.fp32 *= 2; });
    worse([](auto& x) { x.shared_load_wavefronts *= 2; });
    worse([](auto& x) { x.dram_bytes_read *= 1.1, x.global_load_sectors *= 1.1, x.l2_read_sectors *= 1.1; });
    worse([](auto& x) { x.global_rounds *= 2, x.rounds_past_l1 *= 2, x.rounds_past_l2 *= 2; });
    worse([](auto& x) { x.alu_chain *= 2; });
    worse([](auto& x) { x.overlap /= 2; }, 2e-3);  // the two analyses nest only nearly
    worse([](auto& x) { x.registers = std::max<int64_t>(x.registers, 32); },
          0.02);  // fewer resident blocks may divide better into waves
  }
}
INSTANTIATE_TEST_SUITE_P(All, Invariants, testing::Values("h200", "gtx1080", "gt240", "rtx4070s", "c2070"));

const Known& find(const std::vector<Known>& all, const std::string& kernel, int block, int n) {
  for (const auto& row : all)
    if (row.kernel == kernel && row.block == block && row.n == n) return row;
  ADD_FAILURE() << kernel;
  return all.front();
}

/// What the published tables show and the model must explain by the right part.
TEST(TimeModel, ExplainsGt240) {
  const auto gpu = gpu_of("gt240");
  const auto all = known_activities("gt240");
  auto time = [&](const std::string& kernel, int block, int n) {
    return predicted(gpu, find(all, kernel, block, n).activity);
  };
  // A single block leaves eleven of twelve SMs idle and its SM without warps to hide latency.
  auto single = time("matmul/one_block", 8, 528);
  EXPECT_TRUE(single.binding == "time_latency" || single.binding == "time_tail");
  EXPECT_NEAR(single.sm_efficiency, 100 / 12.0, 0.1);
  // 8x8 blocks lose to 16x16: more transactions and bank conflicts.
  EXPECT_GT(time("matmul/tiled", 8, 640).total, 1.4 * time("matmul/tiled", 16, 640).total);
  EXPECT_GT(find(all, "matmul/tiled", 8, 640).activity.shared_conflicts, 0);
  EXPECT_EQ(find(all, "matmul/tiled", 16, 640).activity.shared_conflicts, 0);
  // 4b issues more than 4a, which is what binds.
  for (int n : {384, 640}) {
    EXPECT_GT(time("matmul/prefetch_shared", 16, n).total, time("matmul/prefetch_register", 16, n).total);
    EXPECT_EQ(time("matmul/prefetch_shared", 16, n).binding, "time_issue");
  }
  // 5 at 16x16 loses to 3: one resident block by registers, and no whole wave at n = 128.
  EXPECT_GT(time("matmul/per_thread_2x2", 16, 128).total, time("matmul/tiled", 16, 128).total);
  EXPECT_GT(time("matmul/per_thread_2x2", 16, 384).total, time("matmul/tiled", 16, 384).total);
  EXPECT_EQ(time("matmul/per_thread_2x2", 16, 384).occupancy.active_blocks, 1);
}

TEST(TimeModel, ExplainsSpillsAndConflicts) {
  const auto gtx = gpu_of("gtx1080");
  const auto tiles = known_activities("gtx1080");
  auto binding = [&](std::string_view label) {
    for (const auto& row : tiles)
      if (row.label.find(label) != std::string::npos) return predicted(gtx, row.activity).binding;
    return std::string_view();
  };
  EXPECT_EQ(binding("16 1600 16 16"), "time_l2");    // spills that L2 holds
  EXPECT_EQ(binding("16 1600 24 24"), "time_dram");  // spills that it does not hold
  EXPECT_EQ(binding("16 4096 8 8"), "time_shared");  // As is read word by word
  const auto h200 = gpu_of("h200");
  const auto all = known_activities("h200");
  auto plain = predicted(h200, find(all, "aat/plain", 32, 1024).activity),
       padded = predicted(h200, find(all, "aat/padded", 32, 1024).activity);
  EXPECT_EQ(plain.binding, "time_shared");
  EXPECT_GT(plain.total, 4 * padded.total);
}

}  // namespace
}  // namespace ww::model
