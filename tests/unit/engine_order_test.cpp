// --schedule: every order is a permutation, and a seed gives the same one again.
#include "engine/schedule/order.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "engine_kernels.h"

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

TEST(Order, BlocksThatWaitForThoseBeforeThemEndInARandomOrder) {
  // More blocks than can be begun at once: a GPU begins them by number.
  for (const uint64_t seed : {0, 1, 2, 3}) {
    Settings settings = Lab::small(1);
    settings.order = {Order::Kind::Random, seed};
    settings.multiprocessors = 2, settings.blocks_per_multiprocessor = 3;
    settings.branch_limit = 1'000'000;  // else an endless loop
    Lab lab(R"(
.visible .entry k(.param .u64 words)
{
  .reg .b32 %r<3>; .reg .b64 %a; .reg .pred %p;
  ld.param.u64 %a, [words];
  mov.u32 %r0, %ctaid.x; mad.wide.u32 %a, %r0, 4, %a;
WAIT:
  ld.volatile.global.u32 %r1, [%a];
  setp.eq.u32 %p, %r1, 0;
  @%p bra WAIT;
  st.volatile.global.u32 [%a+4], %r1;
  ret;
}
)",
            settings);
    const u64 words = lab.words(101);
    std::memset(lab.host(words), 0, 101 * 4);
    lab.host(words)[0] = 1;
    EXPECT_EQ(lab.fault(100, 32, {words}), "") << seed;
    EXPECT_EQ(lab.host(words)[100], 1u);
  }
}

TEST(Order, RefusesOthers) {
  for (const char* name : {"", "random", "random:", "random:x", "random:-1", "random:7 ", "Forward"})
    EXPECT_FALSE(order_of(name)) << name;
}

}  // namespace
}  // namespace ww::engine
