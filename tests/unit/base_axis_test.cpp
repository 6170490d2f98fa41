#include "base/axis.h"

#include <gtest/gtest.h>

#include "base/table.h"

namespace ww {
namespace {

TEST(Axes, AreKnownByTheirNames) {
  Row row;
  row[axis_named(std::string("ti") + "le")] = "8";
  EXPECT_EQ(row[Axis("tile")], "8");
  EXPECT_EQ(row[Axis("Tile")], "");
  EXPECT_EQ(axis_named("gpu"), Axis::Gpu);
}

TEST(Axes, AreTheSameInAnyOrderAndWithoutWhatIsEmpty) {
  Axes a, b;
  a[Axis::Kernel] = "k", a[Axis("tile")] = "8";
  b[Axis("tile")] = "8", b[Axis::Kernel] = "k", b[Axis::Gpu] = "";
  EXPECT_EQ(a, b);
  EXPECT_FALSE(a < b || b < a);
  b[Axis::Gpu] = "h200";
  EXPECT_NE(a, b);
  EXPECT_TRUE((a < b) != (b < a));
}

TEST(Axes, CompletingKeepsWhatIsThere) {
  Axes a, b;
  a[Axis("n")] = "1", a[Axis::Gpu] = "";
  b[Axis("n")] = "2", b[Axis::Gpu] = "h200", b[Axis("pad")] = "1";
  a.complete(b);
  EXPECT_EQ(a[Axis("n")], "1");
  EXPECT_EQ(a[Axis::Gpu], "h200");
  EXPECT_EQ(a[Axis("pad")], "1");
}

}  // namespace
}  // namespace ww
