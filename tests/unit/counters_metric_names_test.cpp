// Which GPU has which metric: as the profilers' guides say.
#include "counters/metric_names.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gpus/catalog.h"

namespace ww::counters {
namespace {

TEST(MetricNames, ProfilersNamesBelongToTheirGpus) {
  const auto gtx1080 = *gpus::find_gpu("gtx1080"), h200 = *gpus::find_gpu("h200"),
             gt240 = *gpus::find_gpu("gt240");
  EXPECT_EQ(tag_on("gld_transactions", gtx1080), "global_load_transactions");  // nvprof: 2.x to 6.x
  EXPECT_EQ(tag_on("gld_transactions", h200), "");
  EXPECT_EQ(nearest_on("gld_transactions", h200), "global_load_sectors");
  EXPECT_EQ(tag_on("gld_64b", gt240), "global_load_transactions_64");  // Compute Visual Profiler: 1.2 and 1.3
  EXPECT_EQ(tag_on("global_load_sectors", gt240), "");
  EXPECT_EQ(nearest_on("global_load_sectors", gt240), "global_load_transactions");
  EXPECT_EQ(tag_on("global_load_lines", gtx1080), "");  // no L1 for ordinary loads
  EXPECT_EQ(tag_on("time", h200), "time");
  EXPECT_FALSE(is_particular("time"));
  EXPECT_TRUE(is_particular("global_load_lines"));
  const auto with = gpus_with("gld_transactions");
  EXPECT_NE(std::find(with.begin(), with.end(), "p100"), with.end());
  EXPECT_EQ(std::find(with.begin(), with.end(), "v100"), with.end());
}

}  // namespace
}  // namespace ww::counters
