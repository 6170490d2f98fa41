// How large the sizes of a first study may be.
#include "cli/own_study/growth.h"

#include <gtest/gtest.h>

namespace ww::cli {
namespace {

const auto kRuns = [](int) { return std::optional<double>(1); };

TEST(Growth, WorkThatGrowsWithTheArraysMayBeLarge) {
  Growth growth;
  growth.add({{1024, 1000}, {2048, 2000}}, kRuns);
  EXPECT_EQ(growth.sizes(), (std::vector<int>{65536, 1048576}));
  growth.add({{1024, 10000}, {2048, 20000}}, kRuns);  // 640,000 at 65,536, 10 million at 2^20
  EXPECT_EQ(growth.sizes(), (std::vector<int>{65536, 1048576}));
  growth.add({{1024, 100000}, {2048, 200000}}, kRuns);
  EXPECT_EQ(growth.sizes(), (std::vector<int>{8192, 65536}));
}

TEST(Growth, EachElementWithEachOtherStaysSmall) {
  Growth growth;  // forces between bodies: 1000 · 64² · 16 at 65,536
  growth.add({{1024, 8000}, {2048, 32000}}, kRuns);
  EXPECT_TRUE(growth.sizes().empty());
}

TEST(Growth, SizesThatDoNotRunAreLeftOut) {
  Growth growth;
  growth.add({{1024, 1000}, {2048, 2000}},
             [](int n) { return n > 100000 ? std::nullopt : std::optional<double>(1); });
  EXPECT_EQ(growth.sizes(), (std::vector<int>{8192, 65536}));
  growth.add({{1024, 1000}}, kRuns);
  EXPECT_TRUE(growth.sizes().empty());
}

}  // namespace
}  // namespace ww::cli
