#include "device/ncu_csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "device/ncu_metrics.h"

namespace ww::device {
namespace {

// The raw page, with what surrounds it when all goes to one stream: messages of the tool, output of the
// program.
constexpr const char* kRaw = R"csv(==PROF== Connected to process 4711 (/work/warpwright)
n = 1024, "quoted, half
==PROF== Profiling "matmul_grid" - 0: 0%....50%....100% - 9 passes
"a line of the program", with quotes
==PROF== Profiling "scale" - 1: 0%....50%....100% - 9 passes
==PROF== Disconnected from process 4711
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes_read.sum","gpu__time_duration.sum","sm__warps_active.avg.pct_of_peak_sustained_active","smsp__sass_thread_inst_executed_op_ffma_pred_on.sum","tpc__missing.sum"
"","","","","","","","","","","","byte","ns","%","inst",""
"0","4711","warpwright","127.0.0.1","matmul_grid(const float *, const float *, float *, int)","1","7","(16, 16, 1)","(64, 64, 1)","0","9.0","8,394,240","414,944","91.64","1,073,741,824","n/a"
"1","4711","warpwright","127.0.0.1","void scale<""odd"", 2>(float *)","1","7","(256, 1, 1)","(1,024, 1, 1)","0","9.0","0","1,205.50","3","0","n/a"
==PROF== Report done
)csv";

TEST(NcuCsv, ReadsTheRawPageAmongNoise) {
  auto kernels = parse_ncu_csv(kRaw);
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 2u);
  const ProfiledKernel& first = kernels.value()[0];
  EXPECT_EQ(first.name, "matmul_grid(const float *, const float *, float *, int)");
  EXPECT_EQ(first.grid, "(64, 64, 1)");
  EXPECT_EQ(first.block, "(16, 16, 1)");
  ASSERT_EQ(first.values.size(), 4u);  // the one that is n/a is not there
  EXPECT_EQ(first.values[0].tag, "dram__bytes_read.sum");
  EXPECT_EQ(first.values[0].value, (std::variant<double, int64_t, std::string>(int64_t{8394240})));
  EXPECT_EQ(first.values[0].unit, "byte");
  EXPECT_EQ(first.values[0].provenance, Provenance::Measured);
  EXPECT_DOUBLE_EQ(first.values[2].number(), 91.64);
  EXPECT_EQ(first.values[3].number(), 1073741824);
  const ProfiledKernel& second = kernels.value()[1];
  EXPECT_EQ(second.name, "void scale<\"odd\", 2>(float *)");
  EXPECT_EQ(second.values[1].tag, "gpu__time_duration.sum");
  EXPECT_DOUBLE_EQ(second.values[1].number(), 1205.5);
}

TEST(NcuCsv, ReadsTheDetailsPageAndScaledUnits) {
  auto kernels = parse_ncu_csv(
      "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Section Name\",\"Metric Name\",\"Metric "
      "Unit\",\"Metric Value\"\r\n"
      "\"1\",\"b\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"x\",\"gpu__time_duration.sum\",\"msecond\",\"2.5\"\r\n"
      "\"0\",\"a\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"x\",\"gpu__time_duration.sum\",\"us\",\"1,205.00\"\r\n"
      "\"0\",\"a\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"x\",\"dram__bytes.sum.per_second\",\"Gbyte/s\",\"4.2\"\r\n"
      "\"0\",\"a\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"x\",\"dram__bytes_read.sum\",\"Mbyte\",\"2\"\r\n"
      "\"0\",\"a\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"x\",\"dram__throughput.pct\",\"%\",\"n/a\"\r\n");
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 2u);
  const ProfiledKernel& a = kernels.value()[0];
  EXPECT_EQ(a.name, "a");
  ASSERT_EQ(a.values.size(), 3u);
  EXPECT_DOUBLE_EQ(a.values[0].number(), 1205000);
  EXPECT_EQ(a.values[0].unit, "ns");
  EXPECT_DOUBLE_EQ(a.values[1].number(), 4.2e9);
  EXPECT_EQ(a.values[1].unit, "byte/s");
  EXPECT_DOUBLE_EQ(a.values[2].number(), 2e6);
  EXPECT_DOUBLE_EQ(kernels.value()[1].values[0].number(), 2.5e6);
}

TEST(NcuCsv, DoesNotGuessWhatANumberIs) {
  auto value = [](const std::string& field) {
    auto kernels = parse_ncu_csv("\"ID\",\"Kernel Name\",\"a__b\"\n\"0\",\"k\",\"" + field + "\"\n");
    return kernels && !kernels->empty() && !kernels->front().values.empty()
               ? kernels->front().values[0].number()
               : std::nan("");
  };
  EXPECT_EQ(value("12,345"), 12345);
  EXPECT_EQ(value("1,234,567.25"), 1234567.25);
  EXPECT_EQ(value("1e3"), 1000);
  EXPECT_EQ(value("-7"), -7);
  for (const char* field : {"91,64", ",123", "1,23,456", "1.5,000", "", "n/a", "12 34", "fast"})
    EXPECT_TRUE(std::isnan(value(field))) << field;
}

TEST(NcuCsv, ATableThatBeginsAgainMayHaveOtherColumns) {
  auto kernels = parse_ncu_csv(
      "\"ID\",\"Kernel Name\",\"a__x\"\n\"\",\"\",\"byte\"\n\"0\",\"k\",\"1\"\n"
      "\"ID\",\"Kernel Name\",\"a__y\",\"a__z\"\n\"\",\"\",\"inst\",\"%\"\n\"1\",\"l\",\"2\",\"3\"\n");
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 2u);
  ASSERT_EQ(kernels.value()[1].values.size(), 2u);
  EXPECT_EQ(kernels.value()[1].values[0].tag, "a__y");
  EXPECT_EQ(kernels.value()[1].values[0].unit, "inst");
}

TEST(NcuCsv, ErrorsAreSaid) {
  for (const char* text :
       {"", "==ERROR== nothing\n", "\"open quote\nand more", "\"a\",\"b\"\n\"c\",\"d\"\n"}) {
    auto kernels = parse_ncu_csv(text);
    ASSERT_FALSE(kernels) << text;
    EXPECT_EQ(kernels.error()[0].message, "Nsight Compute printed no table");
  }
  EXPECT_FALSE(parse_ncu_csv("\"ID\",\"Name\"\n"));
}

TEST(NcuMetrics, NeutralNamesUnitsAndWhatFollows) {
  auto value = [](std::string tag, int64_t number, std::string unit) {
    return Value{std::move(tag), number, std::move(unit), Provenance::Measured};
  };
  // matmul/tiled at n = 1024: 1024³ multiply-adds in 277728 ns (shared/h200/ncu_counters.csv).
  auto out =
      neutral_values({value("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 1073741824, "inst"),
                      value("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 100, "inst"),
                      value("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 11, "inst"),
                      value("gpu__time_duration.sum", 277728, "ns"), value("unknown__metric.sum", 1, "")});
  Row row{.values = out};
  EXPECT_EQ(out.size(), 6u);
  EXPECT_DOUBLE_EQ(row.find("time")->number(), 0.277728);
  EXPECT_EQ(row.find("time")->unit, "ms");
  EXPECT_EQ(row.find("flop")->number(), 2.0 * 1073741824 + 111);
  EXPECT_NEAR(row.find("gflops")->number(), 7732.33, 0.01);
  EXPECT_EQ(row.find("flop")->provenance, Provenance::Measured);
}

// What Nsight Compute 2025 wrote for axpy on 2^22 elements on an H200 (tests/gpu/smoke_ptx.h).
TEST(NcuCsv, ReadsATableOfAnH200) {
  std::stringstream text;
  text << std::ifstream(WW_TEST_DATA "ncu_raw_h200.csv").rdbuf();
  auto kernels = parse_ncu_csv(text.str());
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 1u);
  const ProfiledKernel& kernel = kernels->front();
  EXPECT_EQ(kernel.name, "axpy");
  EXPECT_EQ(kernel.grid, "(16384, 1, 1)");
  EXPECT_EQ(kernel.block, "(256, 1, 1)");
  const Row row{.values = neutral_values(kernel.values)};
  const auto number = [&](const char* tag) { return row.find(tag) ? row.find(tag)->number() : -1; };
  // Two loads and a store of 32 neighbouring floats for each warp; one multiply-add for each element.
  const double n = 1 << 22;
  EXPECT_EQ(number("global_load_requests"), 2 * n / 32);
  EXPECT_EQ(number("global_store_requests"), n / 32);
  EXPECT_EQ(number("global_load_sectors"), 2 * n / 8);
  EXPECT_EQ(number("global_store_sectors"), n / 8);
  EXPECT_EQ(number("thread_ffma"), n);
  EXPECT_EQ(number("flop"), 2 * n);
  EXPECT_NEAR(number("dram_bytes_read"), 8 * n, 0.01 * 8 * n);  // both inputs, the caches being cold
  EXPECT_NEAR(number("time"), 0.014112, 1e-9);
}

TEST(NcuMetrics, LaunchesAddUpAndRatesAreThoseOfTheLongest) {
  const auto launch = [](int64_t ns, int64_t sectors, double ipc, int64_t registers) {
    return ProfiledKernel{"k",
                          "",
                          "",
                          {{"gpu__time_duration.sum", ns, "ns"},
                           {"lts__t_sectors_op_read.sum", sectors, "sector"},
                           {"sm__inst_executed.avg.per_cycle_active", ipc, "inst/cycle"},
                           {"launch__registers_per_thread", registers, "register/thread"}}};
  };
  const std::vector<ProfiledKernel> launches = {launch(100, 7, 0.5, 16), launch(900, 20, 2.5, 40),
                                                launch(50, 1, 0.25, 8)};
  const Row row{.values = total_of(launches)};
  EXPECT_EQ(row.find("gpu__time_duration.sum")->number(), 1050);
  EXPECT_EQ(row.find("lts__t_sectors_op_read.sum")->number(), 28);
  EXPECT_EQ(row.find("sm__inst_executed.avg.per_cycle_active")->number(), 2.5);
  EXPECT_EQ(row.find("launch__registers_per_thread")->number(), 40);
  EXPECT_TRUE(total_of({}).empty());
}

}  // namespace
}  // namespace ww::device
