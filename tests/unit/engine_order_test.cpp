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

/// Blocks that each wait for the one before (`step` 4) or behind (-4) and are `blocks` many. The fault, if
/// any.
std::string chain(const std::string& order, u32 multiprocessors, int step, u32 blocks) {
  Settings settings = Lab::small(1);
  settings.order = *order_of(order);
  settings.multiprocessors = multiprocessors, settings.blocks_per_multiprocessor = 3;
  settings.branch_limit = 10'000'000;  // else an endless loop
  Lab lab(R"(
.visible .entry k(.param .u64 words, .param .u64 step)
{
  .reg .b32 %r<3>; .reg .b64 %a, %b; .reg .pred %p;
  ld.param.u64 %a, [words];
  ld.param.u64 %b, [step];
  mov.u32 %r0, %ctaid.x; mad.wide.u32 %a, %r0, 4, %a;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p, %r1, 0;
  @%p bra MEET;
WAIT:
  ld.volatile.global.u32 %r1, [%a];
  setp.eq.u32 %p, %r1, 0;
  @%p bra WAIT;
  add.s64 %a, %a, %b;
  st.volatile.global.u32 [%a], %r1;
MEET:
  bar.sync 0;
  ret;
}
)",
          settings);
  const u64 words = lab.words(blocks + 2);
  std::memset(lab.host(words), 0, (blocks + 2) * 4);
  lab.host(words)[step > 0 ? 1 : blocks] = 1;
  const std::string fault = lab.fault(blocks, 32, {words + 4, static_cast<u64>(int64_t{step})});
  if (fault.empty()) {
    EXPECT_EQ(lab.host(words)[step > 0 ? blocks + 1 : 0], 1u) << order;
  }
  return fault;
}
constexpr const char* kOrders[] = {"forward",  "reverse",  "adversarial", "random:0",
                                   "random:1", "random:2", "random:3"};

TEST(Order, BlocksThatWaitForThoseBeforeThemEnd) {
  // More blocks than can be begun at once: a GPU begins them by number.
  for (const char* order : kOrders) EXPECT_EQ(chain(order, 2, 4, 100), "") << order;
}

TEST(Order, BlocksThatWaitForOthersEndIfAllCanBeBegunAtOnce) {
  for (const char* order : kOrders)
    for (const int step : {4, -4}) EXPECT_EQ(chain(order, 80, step, 200), "") << order << " " << step;
}

TEST(Order, RefusesOthers) {
  for (const char* name : {"", "random", "random:", "random:x", "random:-1", "random:7 ", "Forward"})
    EXPECT_FALSE(order_of(name)) << name;
}

}  // namespace
}  // namespace ww::engine
