#include "base/recycled.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

using namespace ww;

namespace {

struct alignas(64) Wide : Recycled {
  char bytes[200];
  virtual ~Wide() = default;
};
struct Wider : Wide {
  char more[3000];
};

TEST(Recycled, PiecesAreAlignedAndApart) {
  for (int round = 0; round < 3; ++round) {
    std::vector<RecycledBytes> held;
    std::set<std::uintptr_t> begins;
    for (std::size_t bytes : {0, 1, 63, 64, 65, 1000, 1024, 4096, 4097, 100000})
      for (int k = 0; k < 50; ++k) {
        held.push_back(recycled_bytes(bytes));
        std::memset(held.back().get(), k, bytes);
        const auto at = reinterpret_cast<std::uintptr_t>(held.back().get());
        EXPECT_EQ(at % 64, 0u);
        EXPECT_TRUE(begins.insert(at).second);
      }
    for (std::size_t n = 0; n < held.size(); ++n)
      if (held[n].get_deleter().bytes > 0) {
        EXPECT_EQ(held[n].get()[held[n].get_deleter().bytes - 1], n % 50);
      }
  }
}

TEST(Recycled, ObjectsGoBackWithTheirOwnSize) {
  for (int k = 0; k < 100; ++k) {
    std::unique_ptr<Wide> a = std::make_unique<Wider>(), b = std::make_unique<Wide>();
    std::memset(static_cast<Wider*>(a.get())->more, 1, sizeof(Wider::more));
    std::memset(b->bytes, 2, sizeof b->bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.get()) % 64, 0u);
    EXPECT_EQ(static_cast<Wider*>(a.get())->more[2999], 1);
  }
}

TEST(Recycled, AnotherThreadMayGiveBack) {
  for (int round = 0; round < 20; ++round) {
    std::vector<RecycledBytes> made(64);
    std::thread([&] {
      for (auto& p : made) p = recycled_bytes(512);
    }).join();
    std::thread([&] { made.clear(); }).join();
  }
}

}  // namespace
