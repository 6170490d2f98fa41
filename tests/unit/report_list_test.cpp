// The list of one row's figures, for people.
#include "report/list.h"

#include <gtest/gtest.h>

namespace ww::report {
namespace {

TEST(List, TimesShareAUnitUnlessOneWouldBeZeros) {
  Table table;
  Row& row = table.rows.emplace_back();
  for (const auto& [tag, ms] : {std::pair("time", 0.2), {"time_dram", 0.0035}, {"time_barriers", 3e-5}})
    row.values.push_back({tag, ms, "ms", Provenance::Modelled, "a time"});
  EXPECT_EQ(render_list(table),
            "  time              0.2 ms  modelled: a time\n"
            "  time_dram      0.0035 ms  modelled: a time\n"
            "  time_barriers      30 ns  modelled: a time\n");
}

}  // namespace
}  // namespace ww::report
