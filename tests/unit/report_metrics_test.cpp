// Which of a column's alternatives a table shows.
#include "report/metrics.h"

#include <gtest/gtest.h>

namespace ww::report {
namespace {

Row with(std::initializer_list<const char*> tags) {
  Row row;
  for (const char* tag : tags) row.values.push_back({tag, 1.0, "", Provenance::Modelled, ""});
  return row;
}

TEST(ChosenMetric, IsTheFirstThatAllRowsHave) {
  EXPECT_EQ(
      chosen_metric({"", {with({"time", "wall_time"}), with({"time", "wall_time"})}, {}}, "time|wall_time"),
      "time");
  EXPECT_EQ(chosen_metric({"", {with({"time", "wall_time"}), with({"wall_time"})}, {}}, "time|wall_time"),
            "wall_time");
}

// The engine's own time beside the name of a GPU would be taken for that GPU's.
TEST(ChosenMetric, ALaunchThatWentWrongDoesNotDecideForTheOthers) {
  EXPECT_EQ(
      chosen_metric({"", {with({"time", "wall_time"}), with({"fault", "wall_time"})}, {}}, "time|wall_time"),
      "time");
}

}  // namespace
}  // namespace ww::report
