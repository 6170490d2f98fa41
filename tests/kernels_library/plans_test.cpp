// The plans of products on CUDA cores, without a GPU.
#include <gtest/gtest.h>

#include "kernels_library/float32.h"

namespace warpwright {
namespace {

/// A block may have 227 KB on an H200, 99 KB on GPUs of cc 8.6 and 8.9, which the largest tile does not fit
/// into.
TEST(Plans, FitIntoABlocksSharedMemory) {
  for (const int64_t shared : {227 * 1024, 163 * 1024, 99 * 1024})
    for (const int64_t n : {1, 100, 512, 1000, 2048, 4096, 8192}) {
      const Matrix<const float> a{nullptr, n, n, n};
      const Float32Plan plan = plan_float32(a, a, 56, shared);
      ASSERT_NE(plan.tile, nullptr) << n;
      EXPECT_LE(static_cast<int64_t>(plan.tile->shape.bytes(plan.lay_a ? 0 : 1)), shared)
          << n << ", " << plan.tile->file;
    }
}

}  // namespace
}  // namespace warpwright
