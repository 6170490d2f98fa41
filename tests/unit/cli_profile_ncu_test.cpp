// Launches as Nsight Compute's CSV, read back by the reader of the real one.
#include "cli/program/profile_ncu.h"

#include <gtest/gtest.h>

#include "device/ncu_csv.h"
#include "device/ncu_metrics.h"
#include "gpus/catalog.h"

namespace ww::cli {
namespace {

TEST(ProfileNcu, IsReadBackAsWhatItWas) {
  const std::vector<gpus::Gpu> gpus = {*gpus::find_gpu("h200")};
  Table table;
  Row& row = table.rows.emplace_back();
  row[Axis::Kernel] = "scale(float*, \"x\", int)";
  row[Axis::Gpu] = "h200";
  row[Axis::Block] = "32x8";
  row.values = {{"launch", int64_t{1}, "", Provenance::Input, ""},
                {"process", int64_t{77}, "", Provenance::Input, ""},
                {"grid", std::string("4"), "blocks", Provenance::Input, ""},
                {"time", 0.00384, "ms", Provenance::Modelled, ""},
                {"global_load_sectors", int64_t{16384}, "sector", Provenance::Counted, ""},
                {"not_ours", int64_t{1}, "", Provenance::Counted, ""}};
  const std::string text = write_ncu_csv(table, gpus, "./app");
  EXPECT_TRUE(
      text.starts_with("\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\","
                       "\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\","
                       "\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"))
      << text;
  const auto kernels = device::parse_ncu_csv(text);
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 1u);
  EXPECT_EQ(kernels->at(0).name, "scale(float*, \"x\", int)");
  EXPECT_EQ(kernels->at(0).block, "(32, 8, 1)");
  EXPECT_EQ(kernels->at(0).grid, "(4, 1, 1)");
  const std::vector<Value> back = device::neutral_values(kernels->at(0).values);
  const auto value = [&](const char* tag) {
    for (const Value& v : back)
      if (v.tag == tag) return v.number();
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(value("time"), 0.00384);
  EXPECT_EQ(value("global_load_sectors"), 16384);
  EXPECT_NE(text.find("\"gpu__time_duration.sum\",\"ns\",\"3,840\""), text.npos) << text;
}

TEST(ProfileNcu, KnowsItsNames) {
  EXPECT_EQ(tag_of_ncu("dram__bytes_read.sum"), "dram_bytes_read");
  EXPECT_EQ(tag_of_ncu("gld_transactions"), "gld_transactions");
}

}  // namespace
}  // namespace ww::cli
