// Kernels' names in the table of `profile`: short, and never the same for two kernels.
#include "cli/shared/short_names.h"

#include <gtest/gtest.h>

#include "base/symbol_name.h"

namespace ww::cli {
namespace {

const std::string kOfFloats = "void reduce<policies::For<float, 128, 4>, float>(float const*, float*, int)";
const std::string kOfDoubles =
    "void reduce<policies::For<double, 128, 4>, double>(double const*, double*, int)";

TEST(ShortNames, KeepsApartWhatWouldLookAlike) {
  ASSERT_EQ(abbreviated(kOfFloats, 60), abbreviated(kOfDoubles, 60));
  const ShortNames names({kOfFloats, "scale(float*)", kOfDoubles, kOfFloats}, 60);
  EXPECT_EQ(names.of(kOfFloats), "void reduce<…>(…) #1");
  EXPECT_EQ(names.of(kOfDoubles), "void reduce<…>(…) #2");
  EXPECT_EQ(names.of("scale(float*)"), "scale(float*)");
  EXPECT_EQ(names.legend(),
            "\nvoid reduce<…>(…) #1 is " + kOfFloats + "\nvoid reduce<…>(…) #2 is " + kOfDoubles + "\n");
}

TEST(ShortNames, NumbersNothingThatIsAlone) {
  const ShortNames names({kOfFloats, kOfFloats}, 60);
  EXPECT_EQ(names.of(kOfFloats), abbreviated(kOfFloats, 60));
  EXPECT_EQ(names.legend(), "");
}

}  // namespace
}  // namespace ww::cli
