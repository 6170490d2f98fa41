#include "cli/compile/kernel_name.h"

#include <gtest/gtest.h>

namespace ww::cli {
namespace {

// Names as c++filt reads them: scale(float*), scale(int), void ns::add<float, (1)>(float*), plain.
const std::vector<std::string> kNames = {"_Z5scalePf", "_Z5scalei", "_ZN2ns3addIfLi1EEEvPT_", "plain"};

std::string trouble(const Result<std::string>& r) {
  return r ? *r : r.error()[0].message + " | " + r.error()[0].hint;
}

TEST(KernelName, ByAnyOfItsNames) {
  EXPECT_EQ(trouble(choose_kernel(kNames, "plain")), "plain");
  EXPECT_EQ(trouble(choose_kernel(kNames, "_Z5scalei")), "_Z5scalei");
  EXPECT_EQ(trouble(choose_kernel(kNames, "scale(int)")), "_Z5scalei");
  EXPECT_EQ(trouble(choose_kernel(kNames, "ns::add<float, 1>")), "_ZN2ns3addIfLi1EEEvPT_");
  EXPECT_EQ(trouble(choose_kernel(kNames, "ns::add<float,1>")), "_ZN2ns3addIfLi1EEEvPT_");
  EXPECT_EQ(trouble(choose_kernel({"plain"}, "")), "plain");
  EXPECT_EQ(trouble(choose_kernel(kNames, "add")), "_ZN2ns3addIfLi1EEEvPT_");
}

TEST(KernelName, SaysWhatThereIs) {
  EXPECT_EQ(trouble(choose_kernel({}, "x")),
            "there is no kernel in it | a kernel is a function with __global__ before it");
  EXPECT_NE(trouble(choose_kernel(kNames, "scale")).find("scale(float*); scale(int)"), std::string::npos);
  EXPECT_NE(trouble(choose_kernel(kNames, "plane")).find("did you mean 'plain'"), std::string::npos);
  EXPECT_NE(trouble(choose_kernel(kNames, "")).find("there are 4 kernels"), std::string::npos);
  EXPECT_NE(trouble(choose_kernel(kNames, "somethingelse")).find("it has scale(float*)"), std::string::npos);
}

}  // namespace
}  // namespace ww::cli
