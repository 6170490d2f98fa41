// The families spaces/ and simt/: what they count, against hand computation.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <numeric>

#include "device/engine_device.h"
#include "device/null_device.h"
#include "gpus/catalog.h"
#include "kernels/run.h"
#include "kernels_runs.h"

namespace ww::kernels {
namespace {

class Families : public CaseRuns {
 protected:
  using CaseRuns::run;
  /// On an H200; verified.
  Row run(const std::string& kernel, const Config& config) {
    Row row = run(kernel, config, {"h200"})[0];
    EXPECT_EQ(row.refused, "");
    EXPECT_EQ(number(row, "verified"), 1) << kernel << (row.find("wrong") ? row.find("wrong")->text() : "");
    return row;
  }
};

using Simt = Families;
using Spaces = Families;

constexpr int kThreads = 1 << 14;
constexpr double kWarps = kThreads / 32.0;

TEST_F(Simt, LanesThatGoWaysOfTheirOwnTakeThemOneAfterAnother) {
  for (int ways : {1, 2, 8, 32}) {
    const Row row = run("simt/diverge_in_warp", {kThreads, {256}, 0, ways});
    // One branch for each way, at which a warp parts unless there is only one way.
    EXPECT_EQ(number(row, "divergent_branches"), ways == 1 ? 0 : kWarps * ways);
    // The chain of 32 multiply-adds, and what makes the multiplier.
    EXPECT_GE(number(row, "warp_instructions_fp32"), kWarps * ways * 32);
    EXPECT_LE(number(row, "warp_instructions_fp32"), kWarps * ways * 34);
    EXPECT_GE(number(row, "thread_instructions_fp32"), kThreads * 32.0);
    EXPECT_LE(number(row, "thread_instructions_fp32"), kThreads * 34.0);
  }
}

TEST_F(Simt, WarpsThatGoWaysOfTheirOwnDoNotPart) {
  for (int ways : {1, 8, 32}) {
    const Row row = run("simt/diverge_between_warps", {kThreads, {256}, 0, ways});
    EXPECT_EQ(number(row, "divergent_branches"), 0);
    EXPECT_EQ(number(row, "lanes_per_instruction"), 32);
    EXPECT_GE(number(row, "warp_instructions_fp32"), kWarps * 32);
    EXPECT_LE(number(row, "warp_instructions_fp32"), kWarps * 34);
  }
}

TEST_F(Simt, AWarpPartsAtAVoteWhereItsLanesDisagree) {
  std::vector<float> in(kThreads);
  Input(1, 0).read(0, in);
  double mixed = 0;
  for (size_t w = 0; w < in.size(); w += 32) {
    const auto positive =
        std::count_if(in.begin() + static_cast<ptrdiff_t>(w), in.begin() + static_cast<ptrdiff_t>(w) + 32,
                      [](float v) { return v > 0; });
    mixed += positive > 0 && positive < 32;
  }
  ASSERT_GT(mixed, 0);
  const Row row = run("simt/vote", {kThreads, {256}});
  EXPECT_EQ(number(row, "divergent_branches"), 2 * mixed);  // who has zeros to write, who an element
  EXPECT_EQ(number(row, "warp_instructions_warp"), 2 * kWarps);
  EXPECT_FALSE(row.find("shared_atomic_requests"));
  const Row shared = run("simt/vote_shared", {kThreads, {256}});
  EXPECT_EQ(number(shared, "shared_load_requests"), 32 * kWarps);
  EXPECT_EQ(number(shared, "shared_load_wavefronts"), 32 * kWarps);  // all lanes read the same word
  EXPECT_EQ(number(shared, "shared_store_requests"), kWarps);
}

TEST_F(Simt, SharedMemoryLimitsTheWarpsThatHideLatency) {
  // 228 KiB of an H200's SM: a block with 48 KiB (and 1 KiB of the system's own) is there four times, one
  // with 1 KiB as often as 2048 threads allow.
  const Row few = run("simt/latency", {1 << 18, {128}, 0, 48}),
            many = run("simt/latency", {1 << 18, {128}, 0, 1});
  EXPECT_EQ(number(few, "occupancy_theoretical"), 25);
  EXPECT_EQ(number(many, "occupancy_theoretical"), 100);
  EXPECT_GT(number(few, "time"), number(many, "time"));
  EXPECT_EQ(number(few, "global_load_requests"), 16.0 * (1 << 18) / 32);
  EXPECT_EQ(number(few, "global_load_sectors"), 4 * 16.0 * (1 << 18) / 32);
}

TEST_F(Simt, EveryLaneTakesTheLockOnce) {
  // An exchange by each thread alone, and at least as many attempts.
  EXPECT_GE(number(run("simt/lock_lanes", {kThreads, {128}}), "shared_atomic_requests"), 2.0 * kThreads);
  const Row leader = run("simt/lock_leader", {kThreads, {128}});
  EXPECT_GE(number(leader, "shared_atomic_requests"), 2 * kWarps);
  EXPECT_LT(number(leader, "shared_atomic_requests"), kThreads);
}

TEST_F(Simt, LanesThatMeetInAWordGoOneAfterAnother) {
  constexpr int kElements = 1 << 16;
  for (int counters : {1, 4, 32, 256}) {
    const Row shared = run("simt/atomic_shared", {kElements, {256}, 0, counters});
    EXPECT_EQ(number(shared, "shared_atomic_requests"), kElements / 32);
    EXPECT_EQ(number(shared, "shared_atomic_wavefronts"), kElements / 32 * (32 / std::min(counters, 32)));
    const Row global = run("simt/atomic_global", {kElements, {256}, 0, counters});
    EXPECT_EQ(number(global, "global_atomic_requests"), kElements / 32);
    // Neighbouring counters: eight share a sector.
    EXPECT_EQ(number(global, "global_atomic_sectors"), kElements / 32 * (counters > 8 ? 4 : 1));
  }
}

TEST_F(Simt, ABarrierThatPartOfABlockReachesIsDiagnosed) {
  const Case& chosen = **find_case("simt/part_barrier");
  for (bool sample : {false, true}) {
    const auto rows = run("simt/part_barrier", {64, {64}}, {"gtx1080", "h200"}, sample);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].refused, "");
    EXPECT_EQ(number(rows[0], "verified"), 1);
    EXPECT_EQ(rows[0].find("diagnosis")->text(), "barrier deadlock");
    EXPECT_NE(rows[0].find("fault")->text().find("warp 1, lanes 0-15: wait at barrier 0"), std::string::npos)
        << rows[0].find("fault")->text();
    // The place of the fault is the barrier, not what follows it.
    EXPECT_NE(rows[0].find("fault")->text().find("at src/kernels/simt/part_barrier.cu:10 "),
              std::string::npos);
  }
  device::NullDevice machine;
  machine.info().real = true;
  const Row there = Runner().run(chosen, {64, {64}}, &machine);
  EXPECT_NE(there.refused.find("not run on a real GPU"), std::string::npos) << there.refused;
  EXPECT_TRUE(machine.launches().empty());
  const auto on = [&](std::vector<Fault> faults) {
    device::NullDevice device([&](device::NullDevice&, const device::Launch&) {
      device::LaunchReport report;
      report.faults = faults;
      return Result<device::LaunchReport>(report);
    });
    return Runner().run(chosen, {64, {64}}, &device);
  };
  // Nothing else will do: no fault, another one, or this one elsewhere.
  EXPECT_EQ(number(on({}), "verified"), 0);
  EXPECT_EQ(number(on({{"out-of-bounds read", "", {}}}), "verified"), 0);
  const Row elsewhere = on({{"barrier deadlock", "warp 1, lane 3: waits at barrier 1", {}}});
  EXPECT_EQ(number(elsewhere, "verified"), 0);
  EXPECT_NE(elsewhere.find("wrong")->text().find("lanes 0-15"), std::string::npos);
}

TEST_F(Spaces, WordsInOneBankComeOneAfterAnother) {
  for (int stride : {1, 2, 3, 4, 8, 16, 32, 33}) {
    const auto rows =
        run("spaces/shared_static", {kThreads, {256}, 0, stride}, {"h200", "gtx1080", "gtx280"});
    for (size_t g = 0; g < rows.size(); ++g) {
      EXPECT_EQ(number(rows[g], "verified"), 1);
      EXPECT_EQ(number(rows[g], "shared_load_requests"), 64 * kWarps);
      const int passes =
          g < 2 ? std::gcd(stride, 32) : 2 * std::gcd(stride, 16);  // 1.3: half-warps, 16 banks
      EXPECT_EQ(number(rows[g], "shared_load_wavefronts"), 64 * kWarps * passes) << stride;
    }
  }
}

TEST_F(Spaces, ThreeArraysInOneBuffer) {
  for (int block : {64, 256}) {
    const Row row = run("spaces/shared_dynamic", {kThreads, {block}});
    EXPECT_EQ(number(row, "shared_load_requests"), 3 * kWarps);
    EXPECT_EQ(number(row, "shared_load_wavefronts"), 4 * kWarps);  // 8 bytes a lane: two passes
    EXPECT_EQ(number(row, "shared_load_bytes"), kThreads * (8.0 + 4 + 2));
    EXPECT_EQ(number(row, "shared_load_bank_conflicts"), 0);
  }
}

TEST_F(Spaces, ConstantMemoryServesOnePlacePerPass) {
  for (int places : {1, 2, 8, 32}) {
    const Row row = run("spaces/constant", {kThreads, {256}, 0, places});
    EXPECT_EQ(number(row, "constant_load_requests"), 64 * kWarps);
    EXPECT_EQ(number(row, "constant_load_wavefronts"), 64 * kWarps * places);
  }
}

TEST_F(Spaces, ATextureIsReadByFourLanesAtATime) {
  // 256 × 256, read at x + 3, y - 2 with the edges going on. Four texels of a row, from the third word of
  // four, lie in one sector or two by turns: 12 for a row of 32. The last 32 columns read 29, and the last
  // word again and again: 11.
  constexpr double kRow = 7 * 12 + 11;
  for (int columns : {32, 8}) {
    const Row row = run("spaces/texture_point_clamp", {256, {256}, 0, columns});
    EXPECT_EQ(number(row, "texture_requests"), 256 * 256 / 4);
    EXPECT_EQ(number(row, "texture_sectors"), 256 * kRow) << columns;
    // Linear: one texel more to the right, which is in the same sectors; two rows, but for y = 0, 1 and 2
    // one.
    const Row linear = run("spaces/texture_linear_clamp", {256, {256}, 0, columns});
    EXPECT_EQ(number(linear, "texture_sectors"), (3 + 253 * 2) * kRow);
  }
  // Columns: four rows each, of which y = 0, 1 and 2 read the same.
  EXPECT_EQ(number(run("spaces/texture_point_clamp", {256, {256}, 0, 1}), "texture_sectors"),
            (2 + 63 * 4) * 256);
  // And five with filtering; of eight columns one lies in two sectors.
  EXPECT_EQ(number(run("spaces/texture_linear_wrap", {256, {256}, 0, 1}), "texture_sectors"),
            64 * 5 * 256 * 9 / 8);
  run("spaces/texture_point_wrap", {256, {256}, 0, 4});
}

TEST_F(Spaces, LoadsOfAnImageAreOneRequestForAWarp) {
  // A row of 32 texels from the fourth word lies in 5 sectors, at the right edge in 4; one of 8 in 2 and 1.
  // Of the rows, y = 0, 1 and 2 read the same.
  const struct {
    int columns;
    double sectors;
  } cases[] = {{32, 256 * (7 * 5 + 4)}, {8, (2 + 63 * 4) * (31 * 2 + 1)}, {1, (30 + 7 * 32) * 256}};
  for (auto [columns, sectors] : cases) {
    const Row load = run("spaces/read_only", {256, {256}, 0, columns});
    EXPECT_EQ(number(load, "global_load_sectors"), sectors) << columns;
    EXPECT_FALSE(load.find("texture_requests"));
    // A texture reads the same from memory.
    const Row texture = run("spaces/texture_point_clamp", {256, {256}, 0, columns});
    EXPECT_EQ(number(texture, "dram_bytes_read"), number(load, "dram_bytes_read"));
  }
}

// What Nsight Compute says of the same launches on an H200.
TEST_F(Families, CountsAreThoseOfACard) {
  std::ifstream file(WW_PUBLISHED "../measured/h200-spaces/counters.csv");
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  std::map<std::string, Row> rows;
  int compared = 0;
  while (std::getline(file, line)) {
    std::vector<std::string> cells(1);
    for (char c : line) {
      if (c == ',')
        cells.emplace_back();
      else
        cells.back() += c;
    }
    ASSERT_EQ(cells.size(), 6u) << line;
    const Config config{
        std::stoll(cells[1]), {std::stoi(cells[2])}, 0, cells[3].empty() ? 0 : std::stoi(cells[3])};
    const std::string key = line.substr(0, line.find(cells[4]));
    if (!rows.contains(key)) rows[key] = run(cells[0], config);
    const double value = std::stod(cells[5]);
    const bool constant = cells[4] == "constant_cache_requests";
    const double parameters = constant ? 4 * static_cast<double>(config.n) / 32 : 0;
    EXPECT_EQ(number(rows[key], constant ? "constant_load_wavefronts" : cells[4].c_str()) + parameters, value)
        << line;
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

TEST_F(Spaces, LocalMemoryIsSharedOutByElements) {
  for (int elements : {1, 2, 4, 8, 16}) {
    const Row row = run("spaces/local", {kThreads, {256}, 0, elements});
    EXPECT_EQ(number(row, "local_load_requests"), 64 * kWarps);
    // Each element is a row of 32 words; of every row a sector holds 8 lanes.
    EXPECT_EQ(number(row, "local_load_sectors"), 64 * kWarps * std::min(32, 4 * elements));
    EXPECT_EQ(number(row, "local_store_sectors"), 16 * kWarps * 4);
  }
}

TEST_F(Spaces, SectorsOfGlobalMemory) {
  const auto loads = [&](const char* kernel, int k) {
    return run(kernel, {kThreads, {256}, 0, k}, {"h200", "gtx280"});
  };
  EXPECT_EQ(number(loads("spaces/global_aligned", 0)[0], "global_load_sectors"), 4 * kWarps);
  EXPECT_EQ(number(loads("spaces/global_aligned", 0)[1], "global_load_transactions"), 2 * kWarps);
  for (int offset : {1, 2, 4, 8, 16, 32})
    EXPECT_EQ(number(loads("spaces/global_misaligned", offset)[0], "global_load_sectors"),
              kWarps * (offset % 8 == 0 ? 4 : 5));
  // 1.3, one word further: bytes 4 to 67 are one transaction of 128, 68 to 131 one of 64 and one of 32.
  const Row old = loads("spaces/global_misaligned", 1)[1];
  EXPECT_EQ(number(old, "global_load_transactions_128"), kWarps);
  EXPECT_EQ(number(old, "global_load_transactions_64"), kWarps);
  EXPECT_EQ(number(old, "global_load_transactions_32"), kWarps);
  for (int stride : {1, 2, 3, 4, 8, 16, 32}) {
    const Row row = loads("spaces/global_strided", stride)[0];
    EXPECT_EQ(number(row, "verified"), 1);
    EXPECT_EQ(number(row, "global_load_sectors"), kWarps * std::min(32, 4 * stride)) << stride;
    EXPECT_EQ(number(row, "global_store_sectors"), kWarps * 4);
  }
}

TEST_F(Families, SampledCountsAreThoseOfTheWhole) {
  for (const Case& chosen : all_cases()) {
    if (!chosen.name.starts_with("spaces/") && !chosen.name.starts_with("simt/")) continue;
    if (chosen.name == "simt/part_barrier" || chosen.needs_gpu) continue;
    Config config{chosen.axes.quick_n[0], chosen.axes.shapes.back()};
    for (int k : chosen.axes.k.empty() ? std::vector<int>{0} : std::vector<int>{chosen.axes.k[1]}) {
      config.k = k;
      const auto whole = run(chosen.name, config, {"gtx280", "gtx1080", "h200"});
      const auto sampled = run(chosen.name, config, {"gtx280", "gtx1080", "h200"}, true);
      ASSERT_EQ(whole.size(), sampled.size());
      for (size_t g = 0; g < whole.size(); ++g) {
        EXPECT_EQ(whole[g].refused, sampled[g].refused);
        if (whole[g].refused.empty()) {
          EXPECT_EQ(number(whole[g], "verified"), 1) << chosen.name;
        }
        for (const Value& v : whole[g].values) {
          if (v.provenance != Provenance::Counted) continue;
          const Value* other = sampled[g].find(v.tag);
          ASSERT_TRUE(other) << chosen.name << " " << v.tag;
          EXPECT_EQ(other->value, v.value)
              << chosen.name << " k=" << k << " " << whole[g][Axis::Gpu] << " " << v.tag;
        }
      }
    }
  }
}

// Every second (or seventh) block adds once more. A sample must not take some blocks for all.
TEST_F(Families, ASampleOfBlocksThatDoNotDoAlikeIsNone) {
  const auto h200 = *gpus::find_gpu("h200");
  for (int every : {2, 7}) {
    const std::string text = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry work() {
  .reg .u32 %r<4>;
  .reg .pred %p;
  mov.u32 %r1, %ctaid.x;
  rem.u32 %r2, %r1, )" + std::to_string(every) +
                             R"(;
  setp.ne.u32 %p, %r2, 0;
  @%p bra END;
  add.u32 %r3, %r1, 1;
END:
  ret;
})";
    auto module = device_->load("irregular.ptx", text);
    ASSERT_TRUE(module) << render(module.error());
    for (uint32_t blocks : {64u, 65u, 1001u}) {
      device::Launch launch{
          .module = *module, .kernel = "work", .grid = {blocks}, .block = {32}, .count = true};
      launch.gpus = {&h200};
      int64_t counted[2];
      for (bool sample : {false, true}) {
        launch.sample = sample;
        auto report = device_->launch(launch);
        ASSERT_TRUE(report);
        for (const Value& v : report->gpus[0].values)
          if (v.tag == "warp_instructions_int") counted[sample] = std::get<int64_t>(v.value);
      }
      EXPECT_EQ(counted[0], counted[1]) << blocks << " blocks, every " << every;
    }
  }
}

TEST_F(Families, OnlyKernelsWithoutChoicesOfTheirOwnAreSampled) {
  constexpr int kBlocks = kThreads / 256;
  const auto blocks_run = [&](const char* kernel, int k) {
    return number(run(kernel, {kThreads, {256}, 0, k}, {"h200"}, true)[0], "blocks_run");
  };
  EXPECT_LT(blocks_run("spaces/global_strided", 4), kBlocks / 2);
  EXPECT_LT(blocks_run("spaces/shared_static", 4), kBlocks / 2);
  EXPECT_LT(blocks_run("spaces/local", 4), kBlocks / 2);
  EXPECT_EQ(blocks_run("simt/vote", 0), kBlocks);                   // what a lane does depends on data
  EXPECT_EQ(blocks_run("simt/lock_lanes", 0), kBlocks);             // on what an atomic returned
  EXPECT_EQ(blocks_run("simt/diverge_between_warps", 3), kBlocks);  // on a remainder of its number
}

TEST_F(Families, WhatTheKernelsDoNotAdmitIsRefused) {
  const auto refused = [&](const char* kernel, const Config& config) {
    return run(kernel, config, {"h200"})[0].refused;
  };
  EXPECT_NE(refused("spaces/texture_point_clamp", {300, {256}, 0, 8}).find("power of two"),
            std::string::npos);
  EXPECT_NE(refused("spaces/read_only", {256, {256}, 0, 3}).find("1, 2, 4, 8, 16 or 32 columns"),
            std::string::npos);
  EXPECT_NE(refused("spaces/constant", {kThreads, {256}, 0, 33}).find("at most 32"), std::string::npos);
  EXPECT_NE(refused("spaces/local", {kThreads, {256}, 0, 17}).find("16 elements"), std::string::npos);
  EXPECT_NE(refused("simt/vote", {1000, {256}}).find("the nearest are 768 and 1024"), std::string::npos);
  EXPECT_NE(refused("simt/latency", {1 << 18, {256}, 0, 97}).find("96 KiB"), std::string::npos);
  EXPECT_NE(refused("simt/atomic_shared", {1 << 16, {256}, 0, 1025}).find("at most 1024"), std::string::npos);
}

}  // namespace
}  // namespace ww::kernels
