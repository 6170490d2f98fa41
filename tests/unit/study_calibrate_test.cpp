#include "study/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "device/engine_device.h"
#include "device/null_device.h"
#include "gpus/catalog.h"

namespace ww::study {
namespace {

// The engine has no caches and its clock counts instructions, so its figures mean nothing; that the chains
// end where they must is checked inside (a wrong end is a refused row), and rows come out complete.
TEST(Calibrate, EveryBenchmarkRunsOnTheEngine) {
  auto device = device::make_engine_device({});
  auto gpu = gpus::find_gpu("h200");
  ASSERT_TRUE(gpu);
  gpu->l2_bytes->value = 1 << 16;  // small rings
  const Table table = calibrate(*device, {&*gpu, 1, {}});
  ASSERT_EQ(table.rows.size(), 19u);
  for (const Row& row : table.rows) {
    SCOPED_TRACE(row[Axis::Kernel]);
    EXPECT_EQ(row.refused, "");
    ASSERT_NE(row.find("figure"), nullptr);
    // What barriers and blocks cost is the difference of two times, on the engine of two that are alike.
    if (row[Axis::Kernel].starts_with("b"))
      EXPECT_TRUE(std::isfinite(row.find("figure")->number()));
    else
      EXPECT_GT(row.find("figure")->number(), 0);
    EXPECT_EQ(row.find("figure")->provenance, Provenance::Measured);
  }
  EXPECT_EQ(table.rows[0].find("known")->number(), 28.6);  // gpus/data/h200.json
}

TEST(Calibrate, ADeviceThatComputesNothingIsFoundOut) {
  device::NullDevice device;
  const Table table = calibrate(device, {nullptr, 1, {}});
  EXPECT_NE(table.rows[0].refused.find("wrong place"), std::string::npos) << table.rows[0].refused;
  EXPECT_EQ(table.rows[0].find("known"), nullptr);
}

}  // namespace
}  // namespace ww::study
