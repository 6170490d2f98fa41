#include "kernels/run.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "device/null_device.h"
#include "kernels/axes.h"

namespace ww::kernels {
namespace {

using device::Launch;
using device::LaunchReport;
using device::NullDevice;

std::span<float> floats(NullDevice& device, const Launch& launch, size_t argument, uint64_t count) {
  const auto bytes =
      device.bytes_at(NullDevice::argument<device::Address>(launch, argument), count * sizeof(float));
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

/// What every kernel of matmul/ with arguments (a, b, c, n) must do. Reads nothing but the n² elements.
Result<LaunchReport> multiply(NullDevice& device, const Launch& launch) {
  const auto n = static_cast<uint64_t>(NullDevice::argument<int32_t>(launch, 3));
  const auto a = floats(device, launch, 0, n * n), b = floats(device, launch, 1, n * n);
  const auto c = floats(device, launch, 2, n * n);
  for (uint64_t i = 0; i < n; ++i) {
    for (uint64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (uint64_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
  LaunchReport report;
  report.values = {{"warps", int64_t{7}, "", Provenance::Counted, ""}};
  return report;
}

double value(const Row& row, const char* tag) {
  const Value* v = row.find(tag);
  return v ? v->number() : -1;
}

const Case& tiled() { return **find_case("matmul/tiled"); }

TEST(Run, VerifiesARightResult) {
  NullDevice device(multiply);
  const Row row = Runner().run(tiled(), {48, {16}}, &device);
  EXPECT_EQ(row.refused, "");
  EXPECT_EQ(value(row, "verified"), 1);
  EXPECT_GT(value(row, "max_error"), 0);
  EXPECT_LT(value(row, "error_of_bound"), 0.5);
  EXPECT_EQ(value(row, "problem_flop"), 2.0 * 48 * 48 * 48);
  EXPECT_EQ(row.find("problem_flop")->provenance, Provenance::Theory);
  EXPECT_GE(value(row, "wall_time"), 0);
  EXPECT_EQ(value(row, "warps"), 7);
  EXPECT_EQ(row[Axis::Kernel], "matmul/tiled");
  EXPECT_EQ(row[Axis::Device], "null");
  EXPECT_EQ(row[lab::N], "48");
  EXPECT_EQ(row[Axis::Block], "16");
  EXPECT_EQ(row[lab::Rx], "");
  EXPECT_EQ(device.allocations(), 0u);
  ASSERT_EQ(device.launches().size(), 1u);
  EXPECT_EQ(device.launches()[0].kernel, "matmul_tiled_16");
}

TEST(Run, SlackIsPoisonBehindTheInputs) {
  NullDevice device([](NullDevice& d, const Launch& launch) {
    // A 32 × 32 with 16 more words, B with 16 more rows.
    const auto a = floats(d, launch, 0, 32 * 32 + 16), b = floats(d, launch, 1, 32 * 32 + 16 * 32);
    EXPECT_EQ(a.size(), 32u * 32 + 16);
    EXPECT_EQ(b.size(), 32u * 32 + 16 * 32);
    for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(std::bit_cast<uint32_t>(a[i]) == kPoison, i >= 32 * 32);
    for (size_t i = 0; i < b.size(); ++i) EXPECT_EQ(std::bit_cast<uint32_t>(b[i]) == kPoison, i >= 32 * 32);
    return multiply(d, launch);
  });
  const Row row = Runner().run(**find_case("matmul/prefetch_register"), {32, {16}}, &device);
  EXPECT_EQ(value(row, "verified"), 1);
}

TEST(Run, NothingWrittenIsNotVerified) {
  NullDevice device;
  const Row row = Runner().run(tiled(), {48, {16}}, &device);
  EXPECT_EQ(value(row, "verified"), 0);
  EXPECT_TRUE(row.find("wrong")->text().starts_with(
      "2304 of 2304 elements (2304 never written); first: element (0, 0"))
      << row.find("wrong")->text();
}

TEST(Run, ASkippedProductIsNotVerified) {
  NullDevice device([](NullDevice& d, const Launch& launch) {
    auto report = multiply(d, launch);
    floats(d, launch, 2, 48 * 48)[100] -=
        floats(d, launch, 0, 48 * 48)[2 * 48] * floats(d, launch, 1, 48 * 48)[4];
    return report;
  });
  const Row row = Runner().run(tiled(), {48, {16}}, &device);
  EXPECT_EQ(value(row, "verified"), 0);
  EXPECT_GT(value(row, "error_of_bound"), 1);
  EXPECT_TRUE(row.find("wrong")->text().starts_with(
      "1 of 2304 elements (0 never written); first: element (2, 4) is "))
      << row.find("wrong")->text();
}

TEST(Run, FaultsAreFindings) {
  NullDevice device([](NullDevice&, const Launch&) {
    LaunchReport report;
    report.faults = {{"out-of-bounds read", "line 12: reads beyond a", {}}};
    return Result<LaunchReport>(report);
  });
  const Row row = Runner().run(tiled(), {48, {16}}, &device);
  EXPECT_EQ(row.refused, "");
  EXPECT_EQ(value(row, "verified"), 0);
  EXPECT_EQ(row.find("fault")->text(), "line 12: reads beyond a");
  EXPECT_EQ(device.allocations(), 0u);
}

TEST(Run, ImpossibleLaunchesAreRefused) {
  NullDevice device(multiply);
  device.info().max_threads_per_block = 512;
  const Row row = Runner().run(tiled(), {64, {32}}, &device);
  EXPECT_EQ(row.refused, "32 x 32 x 1 = 1024 threads per block, the device allows 512");
  EXPECT_EQ(row.find("verified"), nullptr);
  EXPECT_EQ(row[Axis::Block], "32");
  EXPECT_TRUE(device.launches().empty());

  device.info().memory = 3 * 64 * 64 * 4 - 1;
  EXPECT_EQ(Runner().run(tiled(), {64, {16}}, &device).refused,
            "the buffers need 49152 bytes, the device has 49151");
  EXPECT_EQ(Runner().run(tiled(), {50, {16}}, &device).refused,
            "n = 50 is not a multiple of 16, the block side (the nearest are 48 and 64)");
  EXPECT_EQ(Runner().run(tiled(), {64, {16}}, nullptr).refused, "matmul/tiled needs a device");

  NullDevice refusing(
      [](NullDevice&, const Launch&) -> Result<LaunchReport> { return error("too many registers"); });
  EXPECT_EQ(Runner().run(tiled(), {64, {16}}, &refusing).refused, "too many registers");
  EXPECT_EQ(refusing.allocations(), 0u);
}

TEST(Run, SeveralLaunchesAddUpTheirCounts) {
  NullDevice device([](NullDevice& d, const Launch& launch) {
    const auto n = NullDevice::argument<uint32_t>(launch, 2);
    const auto in = floats(d, launch, 0, n), out = floats(d, launch, 1, launch.grid.x);
    for (float& o : out) o = 0;
    for (size_t i = 0; i < in.size(); ++i) out[i % out.size()] += in[i];
    LaunchReport report;
    report.values = {{"loads", int64_t{n}, "", Provenance::Counted, ""}};
    return Result<LaunchReport>(report);
  });
  const Row row = Runner().run(**find_case("sum/two_launches"), {1024, {128}}, &device);
  EXPECT_EQ(value(row, "verified"), 1);
  EXPECT_EQ(value(row, "loads"), 1024 + 8);
}

/// A clock of 1980 MHz before and after each of two launches is not one of 3960.
TEST(Run, StatesOfTheGpuDoNotAddUp) {
  const auto launch = [](int64_t before, int64_t after) {
    return std::vector<Value>{{"sm_clock_before", before, "MHz", Provenance::Measured, ""},
                              {"sm_clock_after", after, "MHz", Provenance::Measured, ""}};
  };
  std::vector<Value> all = launch(1980, 1900);
  add_values(all, launch(1950, 1800));
  EXPECT_EQ(std::get<int64_t>(all[0].value), 1980);
  EXPECT_EQ(std::get<int64_t>(all[1].value), 1800);
}

TEST(Run, SequentialCasesRunOnTheHost) {
  const Config kConfigs[] = {{50}, {50}, {50, {}, 3}, {5000}};
  const char* const kNames[] = {"matmul/sequential", "aat/sequential", "box_sum/sequential",
                                "sum/sequential"};
  for (int i = 0; i < 4; ++i) {
    SCOPED_TRACE(kNames[i]);
    const Row row = Runner().run(**find_case(kNames[i]), kConfigs[i], nullptr);
    EXPECT_EQ(row[Axis::Device], "host");
    EXPECT_EQ(value(row, "verified"), 1);
    EXPECT_GT(value(row, "time"), 0);
    EXPECT_EQ(row.find("time")->provenance, Provenance::Measured);
    EXPECT_NEAR(value(row, "gflops") * value(row, "time") * 1e6, value(row, "problem_flop"), 1);
  }
}

}  // namespace
}  // namespace ww::kernels
