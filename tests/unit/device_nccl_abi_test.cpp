// Our declarations of NCCL against NVIDIA's header, where it is installed.
#ifdef WW_NCCL_HEADER
#include <gtest/gtest.h>
#include <nccl.h>

#include <type_traits>

#include "device/driver/nccl.h"
#include "device_abi.h"

namespace ww::device::driver {
namespace {

#define WW_SAME(member, exported, result, ...)                                                              \
  static_assert(                                                                                            \
      same_abi(static_cast<result (*)(__VA_ARGS__)>(nullptr), static_cast<decltype(&::exported)>(nullptr)), \
      #exported);
WW_NCCL_FUNCTIONS(WW_SAME)
#undef WW_SAME

TEST(NcclAbi, ConstantsAreThoseOfTheHeader) {
  EXPECT_EQ(int{kNcclInt8}, int{ncclInt8});
  EXPECT_EQ(0, int{ncclSuccess});
}

}  // namespace
}  // namespace ww::device::driver
#endif
