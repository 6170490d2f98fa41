// What names a file of the user's, and what a kernel of the laboratory.
#include "userkernel/own_kernel.h"

#include <gtest/gtest.h>

namespace ww::userkernel {
namespace {

TEST(OwnKernel, IsAFileWithOrWithoutItsKernel) {
  EXPECT_FALSE(own_kernel("matmul/tiled"));
  EXPECT_FALSE(own_kernel("h200"));
  EXPECT_FALSE(own_kernel("cu"));
  ASSERT_TRUE(own_kernel("a/b.cu"));
  EXPECT_EQ(own_kernel("a/b.cu")->file, "a/b.cu");
  EXPECT_EQ(own_kernel("a/b.cu")->kernel, "");
  ASSERT_TRUE(own_kernel("b.ptx:ns::scale<float>"));
  EXPECT_EQ(own_kernel("b.ptx:ns::scale<float>")->file, "b.ptx");
  EXPECT_EQ(own_kernel("b.ptx:ns::scale<float>")->kernel, "ns::scale<float>");
}

}  // namespace
}  // namespace ww::userkernel
