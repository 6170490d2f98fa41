// Which place of an inlined access is the user's.
#include "ir/places.h"

#include <gtest/gtest.h>

namespace ww::ir {
namespace {

std::vector<Location> chain_of(const std::vector<std::string>& files) {
  std::vector<Location> chain;
  for (const std::string& f : files) {
    Location l;
    l.file = f;
    l.line = 1;
    chain.push_back(l);
  }
  return chain;
}
size_t users(const std::vector<std::string>& files) { return users_place(chain_of(files)); }

TEST(Places, HeadersOfTheToolkitAreNotTheUsers) {
  EXPECT_EQ(
      users({"/usr/local/cuda-13.0/include/cccl/cuda/__barrier/barrier_block_scope.h", "/home/me/a.cu"}), 1u);
  EXPECT_EQ(users({"/usr/local/cuda/include/cuda/barrier", "/home/me/a.cu"}), 1u);
  EXPECT_EQ(users({"/usr/local/cuda-12.4/bin/../targets/x86_64-linux/include/sm_30_intrinsics.hpp", "a.cu"}),
            1u);
  EXPECT_EQ(users({"/home/me/include/tile.h", "/home/me/a.cu"}), 0u);
  EXPECT_EQ(users({"/usr/local/cuda/include/cuda/barrier"}), 0u);  // there is no other
}
TEST(Places, OfLinesOfTheToolkitTheInnermostIsTold) {
  EXPECT_EQ(inlining_text(chain_of({"a.cu"}), "  "), "");
  EXPECT_EQ(inlining_text(chain_of({"tile.h", "a.cu"}), "  "), "  inlined from tile.h:1\n  at a.cu:1\n");
  EXPECT_EQ(
      inlining_text(chain_of({"/usr/local/cuda/include/cuda/barrier", "/usr/local/cuda/include/cuda/pipeline",
                              "/usr/local/cuda/include/cuda/atomic", "tile.h", "a.cu"}),
                    "  "),
      "  inlined from /usr/local/cuda/include/cuda/barrier:1\n  through 2 lines of CUDA's headers\n"
      "  at tile.h:1\n  at a.cu:1\n");
}

}  // namespace
}  // namespace ww::ir
