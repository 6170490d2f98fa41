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
  // In order block 63 is the last: add and setp of its loop run once.
  EXPECT_EQ(std::count(expected.begin(), expected.end(), 1u), 2);
  for (int k = 0; k < 50; ++k) EXPECT_EQ(warps(four, of_four), expected) << k;
}

/// Hears how many threads of the host run a launch.
class Workers : public events::Listener {
 public:
  u32 wants() const override { return 0; }
  void launch_begins(const Program&, int workers) override { count = workers; }
  int count = 0;
};

/// 64 blocks with this atomic operation on the word at %rd0, on four threads if they may.
int workers_with(const std::string& atomic, u32& word) {
  Lab lab(R"(
.visible .entry k(.param .u64 counter) {
.reg .b32 %r<8>; .reg .f32 %f<2>; .reg .b64 %rd<2>; .reg .pred %p<3>;
ld.param.u64 %rd0, [counter]; mov.u32 %r0, %ctaid.x; add.u32 %r0, %r0, 1; cvt.rn.f32.u32 %f0, %r0;
)" + atomic + "\nret;\n}",
          Lab::small(4));
  const u64 counter = lab.words(2);
  lab.host(counter)[0] = lab.host(counter)[1] = 0;
  Workers workers;
  LaunchRequest request;
  request.kernel = "k";
  request.grid = {64, 1, 1};
  request.block = {1, 1, 1};
  request.counted = true;
  request.listeners = {&workers};
  request.arguments = {argument(counter)};
  auto ran = lab.engine.run(*lab.module, request);
  EXPECT_TRUE(ran && ran->faults.empty()) << atomic;
  word = *lab.host(counter);
  return workers.count;
}

/// Nobody has the old value, and the order in which it is done leaves no trace.
TEST(Tickets, AreNoneWhereNobodyReadsThem) {
  u32 word = 0;
  EXPECT_EQ(workers_with("atom.global.add.u32 %r1, [%rd0], %r0;", word), 4);
  EXPECT_EQ(word, 64u * 65 / 2);
  EXPECT_EQ(workers_with("atom.global.max.s32 %r1, [%rd0], %r0;", word), 4);
  EXPECT_EQ(word, 64u);
  EXPECT_EQ(workers_with("red.global.add.u32 [%rd0], %r0;", word), 4);
}

TEST(Tickets, AreTakenWhereTheOldValueOrTheOrderIsSeen) {
  u32 word = 0;
  EXPECT_EQ(workers_with("atom.global.add.u32 %r1, [%rd0], %r0; st.global.u32 [%rd0 + 4], %r1;", word), 1);
  EXPECT_EQ(workers_with("atom.global.add.u32 %r0, [%rd0], %r0;", word), 1);  // reads its own
  EXPECT_EQ(workers_with("atom.global.add.u32 %r1, [%rd0], %r0; setp.eq.u32 %p0, %r1, 7;", word), 1);
  EXPECT_EQ(workers_with("atom.global.exch.b32 %r1, [%rd0], %r0;", word), 1);
  EXPECT_EQ(workers_with("atom.global.inc.u32 %r1, [%rd0], %r0;", word), 1);
  EXPECT_EQ(workers_with("atom.global.cas.b32 %r1, [%rd0], 0, %r0;", word), 1);
  EXPECT_EQ(workers_with("atom.global.add.f32 %f1, [%rd0], %f0;", word), 1);
}

}  // namespace
}  // namespace ww::engine
