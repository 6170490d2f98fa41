#include "kernels/case.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "device/null_device.h"
#include "kernels/embedded.h"
#include "kernels/run.h"

namespace ww::kernels {
namespace {

/// Every quick configuration of a case.
std::vector<Config> quick_configs(const Case& one) {
  std::vector<Config> configs;
  const auto or_none = [](auto list) { return list.empty() ? decltype(list){{}} : list; };
  for (const Shape& shape : or_none(one.axes.shapes))
    for (int64_t n : one.axes.quick_n)
      for (int r : or_none(one.axes.r))
        for (int k : or_none(one.axes.k)) configs.push_back({n, shape, r, k, 1, {}});
  return configs;
}

std::string message(const Case& one, const Config& config) {
  auto plan = make_plan(one, config);
  return plan ? "" : one_line(plan.error());
}

const Case& case_named(const char* name) { return **find_case(name); }

TEST(Cases, AreComplete) {
  std::set<std::string> cases, names;
  for (const Case& one : all_cases()) {
    SCOPED_TRACE(one.name);
    EXPECT_TRUE(cases.insert(one.name).second);
    names.insert(one.name);
    EXPECT_FALSE(one.summary.empty());
    EXPECT_FALSE(one.teaches.empty());
    EXPECT_FALSE(one.axes.n.empty());
    EXPECT_FALSE(one.axes.quick_n.empty());
    EXPECT_EQ(one.axes.k.empty(), one.k_means.empty());
    for (const Config& config : quick_configs(one))  // several cases may share a kernel
      if (auto plan = make_plan(one, config)) names.insert(plan->module);
  }
  for (const Embedded& e : embedded()) {
    if (e.name == "matmul/tiles_large") continue;      // belongs to matmul/tiles
    if (e.name.starts_with("calibrate/")) continue;    // micro-benchmarks (study/calibrate.h)
    if (e.name.starts_with("host_memory/")) continue;  // work for spaces/overlap
    EXPECT_TRUE(names.count(std::string(e.name))) << e.name;
  }
}

TEST(Cases, QuickPlansNameEntriesThatExist) {
  for (const Case& one : all_cases()) {
    for (const Config& config : quick_configs(one)) {
      auto plan = make_plan(one, config);
      ASSERT_TRUE(plan) << one.name << ": " << one_line(plan.error());
      EXPECT_EQ(plan->probe != nullptr, one.needs_gpu);
      if (one.needs_gpu) continue;                 // says itself what it launches
      if (plan->task.problem != Problem::Given) {  // others may compute nothing
        EXPECT_GT(plan->flop, 0);
      }
      EXPECT_TRUE(std::isfinite(error_factor(plan->rounding)));
      EXPECT_EQ(plan->launches.empty(), plan->host != nullptr);
      for (const PlannedLaunch& launch : plan->launches) {
        EXPECT_NE(embedded_ptx(plan->module).find(".entry " + launch.entry + "("), std::string_view::npos)
            << launch.entry << " in " << plan->module;
        // The parameters' number: each is declared as ENTRY_param_INDEX.
        const std::string last = launch.entry + "_param_" + std::to_string(launch.arguments.size() - 1);
        const std::string beyond = launch.entry + "_param_" + std::to_string(launch.arguments.size());
        EXPECT_NE(embedded_ptx(plan->module).find(last), std::string_view::npos) << last;
        EXPECT_EQ(embedded_ptx(plan->module).find(beyond), std::string_view::npos) << beyond;
      }
    }
  }
}

TEST(Cases, UsualSizesAreAdmittedByEveryShape) {
  for (const Case& one : all_cases())
    for (Config config : quick_configs(one))
      for (int64_t n : one.axes.n) {
        config.n = n;
        EXPECT_EQ(message(one, config), "") << one.name;
      }
}

TEST(Cases, UnknownNameOffersTheNearest) {
  EXPECT_EQ(find_case("matmul/tilde").error()[0].hint, "did you mean \"matmul/tiled\"?");
  EXPECT_NE(find_case("qqqqqqqqqqqqqqqqqqqqq").error()[0].hint.find("sum/last_block"), std::string::npos);
}

TEST(Cases, WrongConfigurationsSayWhatIsRight) {
  EXPECT_EQ(message(case_named("matmul/tiled"), {100, {16}}),
            "n = 100 is not a multiple of 16, the block side (the nearest are 96 and 112)");
  EXPECT_EQ(message(case_named("matmul/tiled"), {5, {16}}),
            "n = 5 is not a multiple of 16, the block side (the smallest is 16)");
  EXPECT_EQ(message(case_named("matmul/per_thread_2x2"), {176, {16}}),
            "n = 176 is not a multiple of 32, twice the block side (the nearest are 160 and 192)");
  EXPECT_EQ(message(case_named("matmul/tiled"), {176, {12}}),
            "matmul/tiled does not exist with block 12 (it exists with block 8, 16, 22, 32; for watching "
            "also with 2, 4)");
  EXPECT_EQ(message(case_named("matmul/tiles"), {100, {32, 8, 8}}),
            "matmul/tiles does not exist with 8x8 results per thread and block 32 "
            "(with block 32 there are 1x1, 2x1, 2x2, 2x3, 2x4, 4x4, 5x6, 6x6)");
  EXPECT_EQ(message(case_named("matmul/tiled"), {176, {16, 2, 2}}), "matmul/tiled has no tile axis");
  EXPECT_EQ(message(case_named("matmul/tiled"), {176, {16}, 4}), "matmul/tiled has no axis r");
  EXPECT_EQ(message(case_named("box_sum/direct"), {16, {8}, 8, 1}),
            "n = 16 leaves no element that has all neighbours within r = 8 (n is at least 17)");
  EXPECT_EQ(message(case_named("box_sum/direct"), {500, {8}, 8, 0}),
            "k = 0, it must be between 1 and 32768 (usual values are 1, 4, 16)");
  EXPECT_EQ(message(case_named("matmul/inner_atomic"), {16, {16}, 0, 17}),
            "17 slices of k, but k has only 16 values");
  EXPECT_EQ(message(case_named("matmul/tiled"), {0, {16}}), "n = 0, it must be at least 1");
  EXPECT_NE(message(case_named("matmul/tiled"), {40000, {16}}), "");
  EXPECT_EQ(message(case_named("matmul/sequential"), {16, {16}}),
            "matmul/sequential runs on the host and has neither block nor tile");
}

TEST(Cases, GridsCoverTheResult) {
  // kernels.md: grid ⌈n/(BS·Rx)⌉ × ⌈n/(BS·Ry)⌉; and the H200's launches of its README.
  auto tiles = make_plan(case_named("matmul/tiles"), {1024, {16, 2, 1}});
  EXPECT_EQ(tiles->launches[0].grid, (device::Dim3{32, 64}));
  tiles = make_plan(case_named("matmul/tiles"), {1024, {16, 6, 6}});
  EXPECT_EQ(tiles->launches[0].grid, (device::Dim3{11, 11}));
  auto box = make_plan(case_named("box_sum/direct"), {2000, {32}, 4, 4});
  EXPECT_EQ(box->launches[0].grid, (device::Dim3{63, 16}));
  EXPECT_EQ(box->flop, 321413184.0);
  auto sum = make_plan(case_named("sum/last_block"), {1 << 24, {256}});
  EXPECT_EQ(sum->launches[0].grid, (device::Dim3{264}));
}

TEST(Cases, InputsFromFiles) {
  const std::string folder = testing::TempDir() + "/kernels_case";
  std::filesystem::create_directories(folder);
  const float values[] = {1.5f, -2.0f, 4.0f};
  std::ofstream(folder + "/three.raw", std::ios::binary)
      .write(reinterpret_cast<const char*>(values), sizeof values);
  auto plan = make_plan(case_named("sum/sequential"), {3, {}, 0, 0, 1, {folder + "/three.raw"}});
  ASSERT_TRUE(plan);
  float read[2];
  plan->task.inputs[0].read(1, read);
  EXPECT_EQ(read[0], -2.0f);
  EXPECT_EQ(read[1], 4.0f);
  EXPECT_EQ(Runner()
                .run(case_named("sum/sequential"), {3, {}, 0, 0, 1, {folder + "/three.raw"}}, nullptr)
                .find("verified")
                ->number(),
            1);
  EXPECT_NE(message(case_named("sum/sequential"), {4, {}, 0, 0, 1, {folder + "/three.raw"}}).find("12 bytes"),
            std::string::npos);
  EXPECT_NE(message(case_named("sum/sequential"), {4, {}, 0, 0, 1, {folder + "/none.npy"}}), "");
  EXPECT_EQ(
      message(case_named("sum/sequential"), {3, {}, 0, 0, 1, {folder + "/three.raw", folder + "/three.raw"}}),
      "2 input files are given, sum/sequential takes 1");
}

}  // namespace
}  // namespace ww::kernels
