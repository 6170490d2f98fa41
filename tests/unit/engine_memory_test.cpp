// Which allocations global memory knows, live and freed.
#include "engine/memory/memory.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace ww::engine {
namespace {

u64 allocated(GlobalMemory& memory, u64 bytes) {
  auto at = memory.allocate(bytes);
  EXPECT_TRUE(at);
  return at ? *at : 0;
}

TEST(GlobalMemory, FreedAllocationsAreRememberedButNotLive) {
  GlobalMemory memory(64 << 20);
  const u64 kept = allocated(memory, 1000);
  u64 last = 0;
  for (int k = 0; k < 10000; ++k) {
    last = allocated(memory, 100);
    ASSERT_TRUE(memory.free(last));
  }
  EXPECT_EQ(memory.live_count(), 1u);
  ASSERT_EQ(memory.live().size(), 1u);
  EXPECT_EQ(memory.live()[0].base, kept);
  EXPECT_FALSE(memory.find(last + 10));
  const auto near = memory.nearest(last + 10);
  ASSERT_TRUE(near);
  EXPECT_TRUE(near->freed);
  EXPECT_EQ(near->base, last);
  const auto again = memory.free(last);
  ASSERT_FALSE(again);
  EXPECT_NE(render(again.error()).find("freed before"), std::string::npos);
}

/// Whether Linux was asked for large pages there, as it says in the list of the process's mappings.
bool wants_large_pages(const u8* host) {
  std::ifstream mappings("/proc/self/smaps");
  const u64 at = reinterpret_cast<u64>(host);
  bool here = false;
  for (std::string line; std::getline(mappings, line);) {
    u64 begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) here = begin <= at && at < end;
    if (here && line.starts_with("VmFlags:")) return line.find(" hg") != std::string::npos;
  }
  return false;
}

TEST(GlobalMemory, LargeAllocationsHaveLargePages) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) GTEST_SKIP() << "Linux has none here";
  GlobalMemory memory(64 << 20);
  const u64 large = allocated(memory, 16 << 20), small = allocated(memory, 1 << 20);
  EXPECT_TRUE(wants_large_pages(memory.host(large + (8 << 20))));
  EXPECT_FALSE(wants_large_pages(memory.host(small)));
}

TEST(GlobalMemory, TheNearestAllocation) {
  GlobalMemory memory(64 << 20);
  EXPECT_FALSE(memory.nearest(kMemoryBase));
  const u64 a = allocated(memory, 1000), b = allocated(memory, 1000);
  EXPECT_EQ(memory.nearest(a + 1004)->base, a);
  EXPECT_EQ(memory.nearest(b - 4)->base, b);
  EXPECT_EQ(memory.nearest(a - 4)->base, a);
  ASSERT_TRUE(memory.free(a));
  EXPECT_EQ(memory.nearest(a + 4)->base, a);
  EXPECT_TRUE(memory.nearest(a + 4)->freed);
  EXPECT_EQ(memory.nearest(b + 4)->base, b);
}

TEST(GlobalMemory, AddressesOfTheHostComeAgain) {
  GlobalMemory memory(64 << 20);
  if (!memory.unified()) GTEST_SKIP() << "another memory has these addresses";
  alignas(64) static u8 words[256];
  const u64 at = reinterpret_cast<u64>(words);
  ASSERT_TRUE(memory.adopt(at, 128));
  EXPECT_FALSE(memory.adopt(at + 64, 128));
  EXPECT_FALSE(memory.free(at));
  ASSERT_TRUE(memory.disown(at));
  EXPECT_FALSE(memory.disown(at));
  EXPECT_FALSE(memory.find(at));
  ASSERT_TRUE(memory.adopt(at + 64, 128));
  EXPECT_EQ(memory.nearest(at + 70)->base, at + 64);
  EXPECT_NE(memory.nearest(at)->base, at);  // what was there is forgotten
  ASSERT_TRUE(memory.disown(at + 64));
}

}  // namespace
}  // namespace ww::engine
