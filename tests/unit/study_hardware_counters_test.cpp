// Hardware counters of a study, with a shell script in Nsight Compute's place.
#include "study/hardware_counters.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "device/null_device.h"
#include "study/item_text.h"

namespace ww::study {
namespace {

namespace fs = std::filesystem;

class HardwareCounters : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("ww_counters_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const auto items =
        select(**find_study("sum"), {.kernels = {"two_launches", "atomic"}, .n = {1024, 4096}});
    ASSERT_TRUE(items);
    items_ = *items;
    RunContext context{{&device_}};
    table_ = run(**find_study("sum"), items_, context);
    ASSERT_EQ(table_.rows.size(), 4u);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// `script` finds the log file in $log and the configurations in "$@".
  CounterOptions options(const std::string& script) {
    const fs::path path = folder_ / "ncu";
    std::ofstream(path) << "#!/bin/sh\nwhile [ \"$1\" != program ]; do\n"
                           "  case $1 in --log-file) log=$2;; esac; shift\ndone\nshift\n"
                           "echo \"$@\" >> "
                        << (folder_ / "calls").string() << "\n"
                        << script;
    fs::permissions(path, fs::perms::owner_all);
    CounterOptions o;
    o.command = {"program"};
    o.ncu.binary = path.string();
    return o;
  }
  std::vector<std::string> calls() const {
    std::vector<std::string> lines;
    std::ifstream in(folder_ / "calls");
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  double value(size_t row, const char* tag) const {
    const Value* v = table_.rows[row].find(tag);
    return v ? v->number() : -1;
  }

  fs::path folder_;
  device::NullDevice device_;
  std::vector<Item> items_;
  Table table_;
};

// Launches of the configurations, each with a count of its own: 10 for the first, 11 for the second, …
constexpr const char* kTables = R"(
{ echo '"ID","Kernel Name","gpu__time_duration.sum","lts__t_sectors_op_read.sum"'; echo '"","","ns","sector"'
  i=0
  for item in "$@"; do
    case $item in *two_launches*) k="sum_two_launches_256 sum_two_launches_256";; *) k=sum_atomic_256;; esac
    for name in $k; do echo "\"$i\",\"$name(const float *)\",\"1000\",\"$((10 + i))\""; i=$((i + 1)); done
  done; } > $log
)";

TEST_F(HardwareCounters, JoinTheRowsByTheOrderOfTheLaunches) {
  CounterOptions o = options(kTables);
  o.at_a_time = 3;
  add_hardware_counters(table_, items_, "null", o);
  EXPECT_TRUE(table_.notes.empty());
  ASSERT_EQ(calls().size(), 2u);
  EXPECT_EQ(
      calls()[0],
      "sum/two_launches,n=1024,block=256 sum/two_launches,n=4096,block=256 sum/atomic,n=1024,block=256");
  EXPECT_EQ(calls()[1], "sum/atomic,n=4096,block=256");
  EXPECT_EQ(value(0, "l2_read_sectors"), 10 + 11);
  EXPECT_EQ(value(1, "l2_read_sectors"), 12 + 13);
  EXPECT_EQ(value(2, "l2_read_sectors"), 14);
  EXPECT_EQ(value(3, "l2_read_sectors"), 10);
  EXPECT_DOUBLE_EQ(value(0, "time_profiled"), 0.002);
  EXPECT_EQ(table_.rows[0].find("l2_read_sectors")->provenance, Provenance::Measured);
}

TEST_F(HardwareCounters, OtherLaunchesThanAskedForGiveNothing) {
  add_hardware_counters(table_, items_, "null", options(R"(
{ echo '"ID","Kernel Name","a__b.sum"'; echo '"0","sum_atomic_256","1"'; } > $log
)"));
  ASSERT_EQ(table_.notes.size(), 1u);
  EXPECT_EQ(table_.notes[0],
            "Hardware counters are missing for 4 of 4 configurations: Nsight Compute saw kernel "
            "'sum_atomic_256' where 'sum_two_launches_256' was launched.");
  EXPECT_EQ(value(0, "l2_read_sectors"), -1);
}

TEST_F(HardwareCounters, OneNoteWhereThereIsNoPermissionAndNoSecondTry) {
  CounterOptions o = options("echo '==ERROR== ERR_NVGPUCTRPERM' > $log; exit 1\n");
  o.at_a_time = 1;
  add_hardware_counters(table_, items_, "null", o);
  EXPECT_EQ(calls().size(), 1u);
  ASSERT_EQ(table_.notes.size(), 1u);
  EXPECT_NE(table_.notes[0].find("missing for 4 of 4 configurations"), std::string::npos);
  EXPECT_NE(table_.notes[0].find("no permission"), std::string::npos);
}

TEST_F(HardwareCounters, AFailureInTheMiddleCostsOnlyItsOwn) {
  CounterOptions o = options(std::string("case $1 in *two*4096*) exit 3;; esac\n") + kTables);
  o.at_a_time = 1;
  add_hardware_counters(table_, items_, "null", o);
  EXPECT_EQ(calls().size(), 4u);
  ASSERT_EQ(table_.notes.size(), 1u);
  EXPECT_NE(table_.notes[0].find("missing for 1 of 4 configurations"), std::string::npos);
  EXPECT_EQ(value(0, "l2_read_sectors"), 21);
  EXPECT_EQ(value(1, "l2_read_sectors"), -1);
  EXPECT_EQ(value(2, "l2_read_sectors"), 10);
}

TEST_F(HardwareCounters, RowsThatDidNotRunAreNotCounted) {
  table_.rows[0].refused = "no memory";
  table_.rows[1].values.push_back({"fault", std::string("illegal address"), ""});
  table_.rows[2][Axis::Device] = "engine";
  add_hardware_counters(table_, items_, "null", options(kTables));
  ASSERT_EQ(calls().size(), 1u);
  EXPECT_EQ(calls()[0], "sum/atomic,n=4096,block=256");
  EXPECT_EQ(value(3, "l2_read_sectors"), 10);
}

TEST(ItemText, ReadsBack) {
  for (const Study& study : all_studies())
    for (bool quick : {false, true})
      for (auto items = select(study, {.quick = quick}); const Item& item : *items) {
        const auto back = item_of(item_text(item));
        ASSERT_TRUE(back) << item_text(item);
        EXPECT_EQ(*back, item) << item_text(item);
      }
  EXPECT_EQ(item_of("matmul/tiles,n=96,block=16,tile=2x3")->config.shape, (kernels::Shape{16, 2, 3}));
  for (const char* text : {"", "matmul/none,n=1", "matmul/tiled,n", "matmul/tiled,n=1x", "matmul/tiled,m=1",
                           "matmul/tiles,tile=2", "matmul/tiled,n=99999999999999999999"})
    EXPECT_FALSE(item_of(text)) << text;
}

}  // namespace
}  // namespace ww::study
