// What is counted does not depend on how many threads of the host run the blocks, even where atomics tell a
// block whether it is the last one.
#include <algorithm>

#include "engine_kernels.h"

namespace ww::engine {
namespace {

/// The block that draws the last ticket runs a loop as often as its number says.
constexpr char kLastBlock[] = R"(
.visible .entry k(.param .u64 counter) {
.reg .b32 %r<8>; .reg .b64 %rd<2>; .reg .pred %p<3>;
ld.param.u64 %rd0, [counter];
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x; sub.u32 %r1, %r1, 1;
mov.u32 %r2, 0;
BUSY: add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 50; @%p0 bra BUSY;
atom.global.inc.u32 %r3, [%rd0], %r1;
setp.ne.u32 %p1, %r3, %r1; @%p1 bra DONE;
LOOP: add.u32 %r0, %r0, 1; setp.lt.u32 %p2, %r0, %r1; @%p2 bra LOOP;
DONE: ret;
})";

std::vector<u64> warps(Lab& lab, u64 counter) {
  *lab.host(counter) = 0;
  LaunchRequest request;
  request.kernel = "k";
  request.grid = {64, 1, 1};
  request.block = {1, 1, 1};
  request.counted = true;
  request.arguments = {argument(counter)};
  auto ran = lab.engine.run(*lab.module, request);
  EXPECT_TRUE(ran);
  std::vector<u64> out;
  for (const Executions& e : ran->executions) out.push_back(e.warps);
  return out;
}

TEST(Tickets, CountsAreThoseOfOneThread) {
  Lab one(kLastBlock, Lab::small(1)), four(kLastBlock, Lab::small(4));
  const u64 of_one = one.words(1), of_four = four.words(1);
  const std::vector<u64> expected = warps(one, of_one);
  // In order, block 63 is the last: its loop runs once.
  // In order block 63 is the last: add and setp of its loop run once.
  EXPECT_EQ(std::count(expected.begin(), expected.end(), 1u), 2);
  for (int k = 0; k < 50; ++k) EXPECT_EQ(warps(four, of_four), expected) << k;
}

}  // namespace
}  // namespace ww::engine
