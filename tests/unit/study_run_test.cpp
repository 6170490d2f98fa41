#include <gtest/gtest.h>

#include "device/null_device.h"
#include "kernels/axes.h"
#include "study/study.h"

namespace ww::study {
namespace {

TEST(RunStudy, ARowForEveryItemAndDeviceInOrder) {
  const Study& study = **find_study("aat");
  const auto items = select(study, {.n = {64, 32, 48}});
  ASSERT_TRUE(items);
  device::NullDevice one, two;
  two.info().id = "other";
  size_t reports = 0, last_total = 0;
  RunContext context{{&one, &two}, {}, [&](const Progress& p) {
                       EXPECT_EQ(p.done, reports++);
                       EXPECT_EQ(p.row == nullptr, p.done == 0);
                       EXPECT_EQ(p.next.empty(), p.done == p.total);
                       last_total = p.total;
                     }};
  const Table table = run(study, *items, context);
  // 3 sizes: once on the host; 2 kernels × 2 blocks on two devices.
  ASSERT_EQ(table.rows.size(), 3u + 3 * 2 * 2 * 2);
  EXPECT_EQ(last_total, table.rows.size());
  EXPECT_EQ(reports, table.rows.size() + 1);
  EXPECT_TRUE(table.notes.empty());
  EXPECT_EQ(table.rows[0][Axis::Study], "aat");
  EXPECT_EQ(table.rows[0][Axis::Device], "host");
  EXPECT_EQ(table.rows[1][lab::N], "32");
  EXPECT_EQ(table.rows[3][Axis::Kernel], "aat/plain");
  EXPECT_EQ(table.rows[3][Axis::Device], "null");
  EXPECT_EQ(table.rows[4][Axis::Device], "other");
  EXPECT_EQ(table.rows[3].find("verified")->number(), 0);  // the null device writes nothing
  int refused = 0;
  for (const Row& row : table.rows) refused += !row.refused.empty();
  EXPECT_EQ(refused, 2 * 2);  // n = 48 at block 32
}

TEST(RunStudy, StopKeepsWhatIsDone) {
  const Study& study = **find_study("aat");
  const auto items = select(study, {.kernels = {"plain"}, .blocks = {16}, .n = {64, 32, 16}});
  ASSERT_TRUE(items);
  device::NullDevice device;
  std::atomic<bool> stop = false;
  RunContext context{{&device}, {}, [&](const Progress& p) { stop = p.done == 2; }, &stop};
  const Table table = run(study, *items, context);
  ASSERT_EQ(table.rows.size(), 2u);
  // The smaller tasks run first; rows stay in the order of the selection.
  EXPECT_EQ(table.rows[0][lab::N], "32");
  EXPECT_EQ(table.rows[1][lab::N], "16");
  ASSERT_EQ(table.notes.size(), 1u);
  EXPECT_EQ(table.notes[0], "Stopped: 2 of 3 configurations ran.");
}

// A GPU after a kernel fault: the driver refuses everything until the process ends.
class FaultingDevice : public device::NullDevice {
 public:
  Result<device::Address> allocate(uint64_t bytes) override {
    if (dead_) return error("the GPU cannot be used any more", "start the process again");
    return NullDevice::allocate(bytes);
  }
  Result<device::LaunchReport> launch(const device::Launch& launch) override {
    if (++launches_ < 2) return NullDevice::launch(launch);
    dead_ = true;
    return device::LaunchReport{.faults = {{"illegal address", "kernel faulted", {}}}};
  }

 private:
  int launches_ = 0;
  bool dead_ = false;
};

TEST(RunStudy, AFaultThatKillsTheDeviceKeepsTheRowsSoFarAndRefusesTheRest) {
  const Study& study = **find_study("aat");
  const auto items = select(study, {.kernels = {"plain"}, .blocks = {16}, .n = {16, 32, 64, 128}});
  ASSERT_TRUE(items);
  FaultingDevice broken;
  device::NullDevice good;
  good.info().id = "good";
  const Table table = run(study, *items, {{&broken, &good}});
  ASSERT_EQ(table.rows.size(), 8u);
  EXPECT_NE(table.rows[0].find("max_error"), nullptr);
  EXPECT_EQ(table.rows[2].find("fault")->text(), "kernel faulted");
  for (size_t i : {4, 6})
    EXPECT_EQ(table.rows[i].refused, "the GPU cannot be used any more (start the process again)");
  for (size_t i : {1, 3, 5, 7}) EXPECT_NE(table.rows[i].find("max_error"), nullptr);
}

}  // namespace
}  // namespace ww::study
