// Occupancy against the published GT 240 and GTX 1080 tables and hand computation.
#include "model/occupancy.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "model_data.h"

namespace ww::model {
namespace {

std::string message(const Result<Occupancy>& result) { return render(result.error()); }

// What the report's kernels ask for (kernels.md): v1 and v2 no shared memory, v3 and v4a two tiles, v4b and
// v5 four.
Demand gt240_kernel(const std::string& kernel, int64_t side, int64_t registers) {
  Demand demand{side, side, 1, registers};
  int64_t tiles = kernel == "v1" || kernel == "v2" ? 0 : kernel == "v3" || kernel == "v4a" ? 2 : 4;
  demand.static_shared = tiles * side * side * static_cast<int64_t>(sizeof(float));
  demand.parameters = 3 * 8 + 4;  // three pointers and an int
  if (kernel == "v1") demand.grid_blocks = 1;
  return demand;
}

double gt240_value(const Occupancy& occupancy, const Demand& demand, const std::string& metric) {
  auto limit = [&](Resource resource) { return static_cast<double>(occupancy[resource].value_or(-1)); };
  if (metric == "active_blocks") return static_cast<double>(occupancy.active_blocks);
  if (metric == "active_warps") return static_cast<double>(occupancy.active_warps);
  if (metric == "active_threads") return static_cast<double>(occupancy.active_threads);
  if (metric == "occupancy_percent") return occupancy.percent;
  if (metric == "threads_per_block") return static_cast<double>(demand.threads());
  if (metric == "warps_per_block") return static_cast<double>(occupancy.warps_per_block);
  if (metric == "regs_per_thread") return static_cast<double>(demand.registers);
  if (metric == "regs_per_block") return static_cast<double>(occupancy.registers_per_block);
  if (metric == "smem_per_block") return static_cast<double>(occupancy.shared_used);
  if (metric == "limit_blocks_warps") return limit(Resource::Warps);
  if (metric == "limit_blocks_regs") return limit(Resource::Registers);
  if (metric == "limit_blocks_smem") return limit(Resource::SharedMemory);
  ADD_FAILURE() << "unknown metric " << metric;
  return -1;
}

TEST(Occupancy, PublishedGt240Cells) {
  Csv cells = published("gt240_occupancy.csv");
  gpus::Gpu gt240 = gpu_of("gt240");
  auto registers_of = [&](const std::string& kernel, const std::string& block) -> int64_t {
    for (size_t row = 0; row < cells.rows.size(); ++row)
      if (cells.at(row, "kernel") == kernel && cells.at(row, "block") == block &&
          cells.at(row, "metric") == "regs_per_thread")
        return std::atoll(cells.at(row, "value").c_str());
    ADD_FAILURE() << kernel << " " << block << ": no registers";
    return 0;
  };
  int equal = 0;
  std::vector<std::string> different;
  for (size_t row = 0; row < cells.rows.size(); ++row) {
    const auto& kernel = cells.at(row, "kernel");
    const auto& block = cells.at(row, "block");
    const auto& metric = cells.at(row, "metric");
    Demand demand = gt240_kernel(kernel, std::atoll(block.c_str()), registers_of(kernel, block));
    auto ours = occupancy(gt240, demand);
    ASSERT_TRUE(ours.ok()) << message(ours);
    if (gt240_value(*ours, demand, metric) == std::strtod(cells.at(row, "value").c_str(), nullptr))
      ++equal;
    else
      different.push_back(kernel + " " + block + " " + metric);
  }
  EXPECT_EQ(cells.rows.size(), different.size() + equal);
  EXPECT_GT(equal, 100);
  // The one misprint that data/published/README.md names.
  EXPECT_EQ(different, std::vector<std::string>{"v4b 8 limit_blocks_smem"});
}

// The compiler's register counts for the GTX 1080 are not published. What is determined: the shared memory of
// a tile, so the most that can be resident; and the levels that any register count can lead to.
TEST(Occupancy, PublishedGtx1080CellsStayBelowTheCeiling) {
  Csv cells = published("gtx1080_matmul_tiles.csv");
  gpus::Gpu gtx1080 = gpu_of("gtx1080");
  int seen = 0, full = 0;
  for (size_t row = 0; row < cells.rows.size(); ++row) {
    if (cells.at(row, "metric") != "achieved_occupancy" || cells.at(row, "value").empty()) continue;
    auto number = [&](const char* column) { return std::atoll(cells.at(row, column).c_str()); };
    int64_t side = number("block"), n = number("n"), rx = number("rx"), ry = number("ry");
    double achieved = std::strtod(cells.at(row, "value").c_str(), nullptr);
    Demand demand{side, side, 1, 1, side * side * (rx + ry) * 4};
    auto up = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
    demand.grid_blocks = up(n, side * rx) * up(n, side * ry);
    auto ceiling = occupancy(gtx1080, demand);
    ASSERT_TRUE(ceiling.ok()) << message(ceiling);
    SCOPED_TRACE(testing::Message() << side << " " << n << " " << rx << "x" << ry);
    EXPECT_LE(achieved, ceiling->percent);
    ++seen;
    // A grid of many waves achieves nearly what it could: the level that some register count allows.
    if (demand.grid_blocks < 10 * gtx1080.sm_count * ceiling->active_blocks) continue;
    ++full;
    double level = 200;
    for (const Step& step : steps_by_registers(gtx1080, demand))
      if (step.percent >= achieved) level = std::min(level, step.percent);
    EXPECT_GT(achieved, 0.98 * level);
  }
  EXPECT_GE(seen, 25);
  EXPECT_GE(full, 10);
}

// The report's 32 x 32 tiles 5x6 and 6x6 do not launch: README of data/published names registers, not shared
// memory.
TEST(Occupancy, Gtx1080LaunchesThatFailFailOnRegisters) {
  gpus::Gpu gtx1080 = gpu_of("gtx1080");
  for (int64_t sum : {5 + 6, 6 + 6}) {
    Demand demand{32, 32, 1, 64, 32 * 32 * sum * 4};
    EXPECT_TRUE(occupancy(gtx1080, demand).ok());
    demand.registers = 95;
    auto result = occupancy(gtx1080, demand);
    ASSERT_FALSE(result.ok());
    EXPECT_NE(
        message(result).find("1024 threads of 95 registers need 98304 registers, a block may have 65536"),
        std::string::npos)
        << message(result);
  }
}

TEST(Occupancy, NamesEveryLimitThatALaunchBreaks) {
  gpus::Gpu h200 = gpu_of("h200");
  Demand demand{64, 32, 1, 300, 0, 240000};
  auto result = occupancy(h200, demand);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(message(result).find("2048 threads in a block, the limit of compute capability 9.0 is 1024"),
            std::string::npos)
      << message(result);
  demand.block_y = 1;
  result = occupancy(h200, demand);
  ASSERT_EQ(result.error().size(), 2u) << message(result);
  EXPECT_NE(message(result).find("300 registers per thread, the limit of compute capability 9.0 is 255"),
            std::string::npos);
  EXPECT_NE(message(result).find("240000 bytes of shared memory in a block"), std::string::npos);
  EXPECT_FALSE(occupancy(h200, {0, 1, 1}).ok());
  EXPECT_FALSE(occupancy(h200, {1, 1, 65}).ok());
  EXPECT_FALSE(occupancy(h200, {32, 1, 1, -1}).ok());
  constexpr int64_t kHuge = int64_t{1} << 62;
  EXPECT_FALSE(occupancy(h200, {kHuge, kHuge, kHuge}).ok());
  EXPECT_FALSE(occupancy(h200, {32, 1, 1, 32, kHuge, kHuge}).ok());
  auto too_static = occupancy(h200, {32, 1, 1, 32, 50000});
  ASSERT_FALSE(too_static.ok());
  EXPECT_NE(message(too_static).find("a block may declare 49152"), std::string::npos) << message(too_static);
}

// NVIDIA's H100 guide: 227 KB for one block, of 228 KB in an SM with 1 KB reserved for each block.
TEST(Occupancy, SharedMemoryOfHopper) {
  gpus::Gpu h200 = gpu_of("h200");
  auto one = occupancy(h200, {128, 1, 1, 32, 0, 227 * 1024});
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->active_blocks, 1);
  EXPECT_TRUE(one->needs_optin);
  EXPECT_EQ(one->binding, std::vector{Resource::SharedMemory});
  EXPECT_EQ(one->carveout, 228 * 1024);
  // Without shared memory the reserved kilobyte of 16 blocks of 128 threads remains.
  auto none = occupancy(h200, {128, 1, 1, 32});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->active_blocks, 16);
  EXPECT_EQ(none->percent, 100);
  EXPECT_EQ(none->carveout, 16 * 1024);
  EXPECT_EQ(none->binding, (std::vector{Resource::Warps, Resource::Registers}));
}

// By hand, 6.1: 256 threads of 33 registers: 40·32 = 1280 registers a warp, 65536/4/1280 = 12 warps in each
// of 4 parts, 48 warps, 6 blocks. With 32 registers: 64 warps, 8 blocks.
TEST(Cliffs, RegistersOfPascal) {
  gpus::Gpu gtx1080 = gpu_of("gtx1080");
  Demand demand{16, 16, 1, 33};
  auto steps = steps_by_registers(gtx1080, demand);
  EXPECT_EQ(steps.front().first, 1);
  EXPECT_EQ(steps.back().last, 255);
  auto near = cliffs(steps, 33);
  ASSERT_TRUE(near.below && near.above);
  EXPECT_EQ(near.below->last, 32);
  EXPECT_EQ(near.below->active_warps, 64);
  EXPECT_EQ(near.above->first, 41);  // 48 registers: 65536/4/1536 = 10 warps a part, 40 warps, 5 blocks
  EXPECT_EQ(near.above->active_warps, 40);
}

// Each range must be as the calculator says at both of its ends, and other than its neighbours.
TEST(Cliffs, StepsAreTrueAtTheirEnds) {
  for (const char* id : {"gt240", "c2070", "k80", "gtx1080", "t4", "a100", "h200"}) {
    gpus::Gpu any = gpu_of(id);
    Demand demand{16, 16, 1, 20, 2048, 100, 28};
    auto steps = steps_by_shared(any, demand);
    ASSERT_GT(steps.size(), 3u);
    int64_t next = 0;
    for (const Step& step : steps) {
      EXPECT_EQ(step.first, next);
      next = step.last + 1;
      for (int64_t bytes : {step.first, (step.first + step.last) / 2, step.last}) {
        Demand other = demand;
        other.static_shared = 0, other.dynamic_shared = bytes;
        auto there = occupancy(any, other);
        EXPECT_EQ(step.active_warps, there ? there->active_warps : 0) << id << " " << bytes;
      }
    }
    next = 1;
    for (const Step& step : steps_by_block(any, demand)) {
      EXPECT_EQ(step.first, next);
      next = step.last + 1;
      for (int64_t threads : {step.first, step.last}) {
        Demand other = demand;
        other.block_x = threads, other.block_y = 1;
        auto there = occupancy(any, other);
        EXPECT_EQ(step.active_warps, there ? there->active_warps : 0) << id << " " << threads;
      }
    }
    EXPECT_EQ(next, any.max_threads_per_block + 1);
  }
}

TEST(Occupancy, SmallGridLimits) {
  gpus::Gpu gtx1080 = gpu_of("gtx1080");
  Demand demand{16, 16, 1, 16};
  demand.grid_blocks = 41;  // 20 SMs: one of them gets a third block
  auto result = occupancy(gtx1080, demand);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->active_blocks, 3);
  EXPECT_EQ(result->binding, std::vector{Resource::Grid});
}

}  // namespace
}  // namespace ww::model
