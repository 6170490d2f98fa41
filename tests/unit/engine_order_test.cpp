// --schedule: every order is a permutation, and a seed gives the same one again.
#include "engine/schedule/order.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace ww::engine {
namespace {

std::vector<uint64_t> all(const Order& order, uint64_t n, uint64_t round) {
  std::vector<uint64_t> list;
  for (uint64_t k = 0; k < n; ++k) list.push_back(order.at(k, n, round));
  return list;
}

TEST(Order, IsAPermutation) {
  for (const char* name : {"forward", "reverse", "random:7", "adversarial"})
    for (uint64_t n : {1, 2, 3, 5, 16, 17, 100, 4097})
      for (uint64_t round : {0, 1}) {
        const auto order = order_of(name);
        ASSERT_TRUE(order);
        const auto list = all(*order, n, round);
        const std::set<uint64_t> once(list.begin(), list.end());
        EXPECT_EQ(once.size(), n) << name;
        EXPECT_EQ(*once.rbegin(), n - 1) << name;
      }
}

TEST(Order, DoesWhatItsNameSays) {
  using List = std::vector<uint64_t>;
  EXPECT_EQ(all(*order_of("forward"), 4, 0), (List{0, 1, 2, 3}));
  EXPECT_EQ(all(*order_of("reverse"), 4, 5), (List{3, 2, 1, 0}));
  EXPECT_EQ(all(*order_of("adversarial"), 4, 0), (List{3, 2, 1, 0}));
  EXPECT_EQ(all(*order_of("adversarial"), 4, 1), (List{0, 1, 2, 3}));
}

TEST(Order, ASeedGivesTheSameAgain) {
  EXPECT_EQ(all(*order_of("random:7"), 1000, 3), all(*order_of("random:7"), 1000, 3));
  EXPECT_NE(all(*order_of("random:7"), 1000, 3), all(*order_of("random:8"), 1000, 3));
  EXPECT_NE(all(*order_of("random:7"), 1000, 3), all(*order_of("random:7"), 1000, 4));
}

TEST(Order, RefusesOthers) {
  for (const char* name : {"", "random", "random:", "random:x", "random:-1", "random:7 ", "Forward"})
    EXPECT_FALSE(order_of(name)) << name;
}

}  // namespace
}  // namespace ww::engine
