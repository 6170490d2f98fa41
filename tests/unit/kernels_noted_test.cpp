// The laboratory's kernels counted for GPUs of four generations: compiled code, which notes its accesses,
// counts what the interpreter counts.
#include <cstdlib>
#include <iostream>
#include <set>

#include "../long.h"
#include "engine/compile/compile.h"
#include "kernels_runs.h"

namespace ww::kernels {
namespace {

/// Whether the compiler is done with it in a few seconds: products with many results for each thread, and
/// windows whose rows lie in registers, are unrolled to thousands of instructions.
bool compiles_soon(const Case& c) {
  static const std::set<std::string> kShort{
      "matmul/one_block", "matmul/row_per_thread",    "matmul/grid",           "matmul/inner_atomic",
      "matmul/tiled",     "matmul/prefetch_register", "matmul/prefetch_shared"};
  return (!c.name.starts_with("matmul/") && c.name != "box_sum/small_windows") || kShort.contains(c.name);
}

/// Whether the interpreter runs one of its kernels in any case: what has more than 5000 instructions. (What
/// waits for an mbarrier, or takes locks by asking for them again and again, runs in pieces.)
bool is_interpreted(const Case& c) {
  static const std::set<std::string> kThese{"aat/lower_tiles", "box_sum/block_sums", "box_sum/running",
                                            "box_sum/rows_first"};
  return kThese.contains(c.name);
}

/// Small enough that counting it twelve times over takes seconds; the blocks at the edges are not whole.
Config small_config(const Case& c) {
  Config config = short_config(c);
  if (c.name.starts_with("matmul/")) config.n = std::min<int64_t>(config.n, 104);
  if (c.name.starts_with("box_sum/")) config.n = std::min<int64_t>(config.n, 200 + config.n % 2);
  return config;
}

using Lines = std::vector<std::string>;

/// All that was counted and predicted; `engines`: what ran each launch.
Lines counted(Runner& runner, const Case& c, const Config& config, device::Device& device,
              std::set<std::string>& engines) {
  auto reports = runner.reports(c, config, device);
  if (!reports) return {one_line(reports.error())};
  Lines all;
  for (const device::LaunchReport& launch : *reports) {
    engines.insert(launch.engine);
    for (const Value& v : launch.values) all.push_back(v.tag + " " + v.text());
    for (const device::GpuReport& gpu : launch.gpus) {
      for (const Value& v : gpu.values) all.push_back(gpu.gpu + " " + v.tag + " " + v.text());
      for (const Row& row : gpu.lines.rows)
        for (const Value& v : row.values) all.push_back(gpu.gpu + " by line " + v.tag + " " + v.text());
    }
  }
  return all;
}

// Every sixth kernel (with WW_LONG each), half of those with three host threads, too. WW_CASE: that kernel
// alone, or `all`, with those that take minutes.
TEST(CountedForGpus, CompiledAsInterpreted) {
  std::string why;
  if (!engine::can_compile(*engine::lane_code(), why)) GTEST_SKIP() << why;
  RunOptions options;
  std::vector<gpus::Gpu> found;
  for (const char* id : {"c2070", "gtx980", "v100", "h200"}) found.push_back(*gpus::find_gpu(id));
  for (const gpus::Gpu& gpu : found) options.gpus.push_back(&gpu);
  const auto device_of = [](const char* back, int threads) {
    engine::Settings settings;
    settings.threads = threads;
    settings.back = back;
    return device::make_engine_device(settings);
  };
  const std::unique_ptr<device::Device> devices[] = {device_of("interpreter", 1), device_of("compiled", 1),
                                                     device_of("compiled", 3)};
  const char* only = std::getenv("WW_CASE");
  size_t compared = 0, number = 0;
  for (const Case& c : all_cases()) {
    if (c.on_host() || c.needs_gpu) continue;
    if (only ? only != c.name && std::string("all") != only : !compiles_soon(c)) continue;
    if (!only && !is_tried(number++, 6)) continue;
    ++compared;
    const Config config = small_config(c);
    std::cout << title(c.name, config) << std::endl;
    SCOPED_TRACE(title(c.name, config));
    Lines interpreted;
    for (const auto& device : devices) {
      if (device == devices[2] && compared % 2 && !only) continue;
      Runner runner(options);
      std::set<std::string> engines;
      Lines lines = counted(runner, c, config, *device, engines);
      if (device == devices[0]) {
        interpreted = std::move(lines);
        continue;
      }
      if (lines.size() > 1) {
        EXPECT_EQ(engines.contains("interpreter"), is_interpreted(c));
        EXPECT_FALSE(engines.contains("both"));
      }
      ASSERT_EQ(lines.size(), interpreted.size());
      for (size_t k = 0; k < lines.size(); ++k) EXPECT_EQ(lines[k], interpreted[k]);
    }
  }
  EXPECT_GT(compared, 0u);
}

}  // namespace
}  // namespace ww::kernels
