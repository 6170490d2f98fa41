// Threads that wait for each other: locks, barriers, grids that must be resident.
#include "engine_kernels.h"

namespace ww::engine {
namespace {

TEST(Waiting, SpinLockBetweenLanesAndBlocks) {
  // Every thread takes the lock, adds one without an atomic and gives the lock back.
  Lab lab(R"(
.visible .entry k(.param .u64 lock)
{
  .reg .b32 %r<4>; .reg .b64 %lock; .reg .pred %p;
  ld.param.u64 %lock, [lock];
TAKE:
  atom.global.cas.b32 %r0, [%lock], 0, 1;
  setp.ne.u32 %p, %r0, 0;
  @%p bra TAKE;
  membar.gl;
  ld.volatile.global.u32 %r1, [%lock+4];
  add.u32 %r1, %r1, 1;
  st.volatile.global.u32 [%lock+4], %r1;
  membar.gl;
  atom.global.exch.b32 %r2, [%lock], 0;
  ret;
}
)");
  u64 lock = lab.words(2);
  EXPECT_EQ(lab.fault(4, 64, {lock}), "");
  EXPECT_EQ(lab.host(lock)[0], 0u);
  EXPECT_EQ(lab.host(lock)[1], 256u);
}

TEST(Waiting, AVectorThatOthersWaitForIsNeverSeenHalfWritten) {
  // Block 0 writes (k, k) with k = 1, 2, …; block 1 counts what it reads with two halves that differ.
  for (const char* width : {"v2.u64", "v2.u32"}) {
    const std::string type = std::string(width).substr(3), bits = type == "u64" ? "b64" : "b32";
    Lab lab(R"(
.visible .entry k(.param .u64 place, .param .u64 torn)
{
  .reg .b64 %at, %torn, %n; .reg .)" +
            bits + R"( %k, %a, %b; .reg .b32 %i, %bad; .reg .pred %p, %q;
  ld.param.u64 %at, [place]; ld.param.u64 %torn, [torn];
  mov.u32 %i, %tid.x; mad.wide.u32 %at, %i, 16, %at; mad.wide.u32 %torn, %i, 4, %torn;
  mov.u32 %i, %ctaid.x; setp.ne.u32 %p, %i, 0;
  mov.u32 %i, 0; mov.u32 %bad, 0; mov.)" +
            bits + R"( %k, 0;
  @%p bra READ;
WRITE:
  add.)" + type +
            R"( %k, %k, 1;
  st.relaxed.gpu.global.)" +
            width + R"( [%at], {%k, %k};
  add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 100000;
  @%q bra WRITE;
  ret;
READ:
  ld.relaxed.gpu.global.)" +
            width + R"( {%a, %b}, [%at];
  setp.ne.)" +
            type + R"( %q, %a, %b;
  @%q add.u32 %bad, %bad, 1;
  add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 100000;
  @%q bra READ;
  st.global.u32 [%torn], %bad;
  ret;
}
)");
    const u64 place = lab.words(128), torn = lab.words(32);
    EXPECT_EQ(lab.fault(2, 32, {place, torn}), "") << width;
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(lab.host(torn)[lane], 0u) << width << " lane " << lane;
  }
}

TEST(Waiting, BlocksThatMeetAtBarriersUntilOthersHaveCome) {
  // Each block sets its flag and counts rounds until it sees both flags; a barrier ends each round.
  Lab lab(R"(
.visible .entry k(.param .u64 place)
{
  .reg .b32 %r<4>; .reg .b64 %place, %own; .reg .pred %p;
  ld.param.u64 %place, [place];
  mov.u32 %r0, %ctaid.x;
  mad.wide.u32 %own, %r0, 4, %place;
  st.volatile.global.u32 [%own], 1;
ROUND:
  atom.global.add.u32 %r1, [%own+8], 1;
  bar.sync 0;
  ld.volatile.global.u32 %r2, [%place];
  ld.volatile.global.u32 %r3, [%place+4];
  add.u32 %r2, %r2, %r3;
  setp.ne.u32 %p, %r2, 2;
  @%p bra ROUND;
  ret;
}
)",
          Lab::small(1));
  const u64 place = lab.words(4);
  std::memset(lab.host(place), 0, 16);
  EXPECT_EQ(lab.fault(2, 64, {place}), "");
  for (int block = 0; block < 2; ++block) EXPECT_GE(lab.host(place)[2 + block], 64u);
}

TEST(Waiting, BlocksThatWaitAtBarriersForALaterOneSoonOnlyLook) {
  // Each block waits for the flag of the next one, a barrier ends each round, and counts its rounds. Threads
  // from the second argument on end before: all, some of a warp, a warp, all but some of one warp wait.
  constexpr u32 kBlocks = 16, kThreads = 64;
  for (const u64 threads : {u64{kThreads}, u64{40}, u64{32}, u64{5}}) {
    Lab lab(R"(
.visible .entry k(.param .u64 flags, .param .u64 threads)
{
  .reg .b32 %r<4>; .reg .b64 %flags, %own; .reg .pred %p;
  ld.param.u64 %flags, [flags];
  ld.param.u32 %r1, [threads];
  mov.u32 %r0, %tid.x;
  setp.ge.u32 %p, %r0, %r1;
  @%p exit;
  mov.u32 %r0, %ctaid.x;
  mad.wide.u32 %own, %r0, 4, %flags;
ROUND:
  red.global.add.u32 [%own+128], 1;
  bar.sync 0;
  ld.volatile.global.u32 %r2, [%own+4];
  setp.eq.u32 %p, %r2, 0;
  @%p bra ROUND;
  st.volatile.global.u32 [%own], 1;
  ret;
}
)",
            Lab::small(1));
    const u64 flags = lab.words(64);
    std::memset(lab.host(flags), 0, 256);
    lab.host(flags)[kBlocks] = 1;
    EXPECT_EQ(lab.fault(kBlocks, kThreads, {flags, threads}), "");
    // A few long turns, until one ends in the state in which an earlier one did. All long: 16 384 rounds.
    for (u32 block = 0; block < kBlocks; ++block) {
      EXPECT_EQ(lab.host(flags)[block], 1u);
      EXPECT_LT(lab.host(flags)[32 + block] / threads, 6000u) << "block " << block;
    }
  }
}

TEST(Waiting, TheLastBlockOfASumSeesAllOthers) {
  // partial[ctaid] = ctaid + 1; the block whose ticket is the last one adds them up.
  Lab lab(R"(
.visible .entry k(.param .u64 partial, .param .u64 ticket)
{
  .reg .b32 %r<10>; .reg .b64 %partial, %ticket, %at; .reg .pred %p;
  ld.param.u64 %partial, [partial]; ld.param.u64 %ticket, [ticket];
  mov.u32 %r0, %ctaid.x;
  add.u32 %r1, %r0, 1;
  mad.wide.u32 %at, %r0, 4, %partial;
  st.global.u32 [%at], %r1;
  membar.gl;
  mov.u32 %r2, %nctaid.x;
  sub.u32 %r3, %r2, 1;
  atom.global.inc.u32 %r4, [%ticket], %r3;
  setp.ne.u32 %p, %r4, %r3;
  @%p exit;
  mov.u32 %r5, 0;
ADD:
  ld.volatile.global.u32 %r6, [%partial];
  add.u32 %r5, %r5, %r6;
  add.u64 %partial, %partial, 4;
  sub.u32 %r2, %r2, 1;
  setp.ne.u32 %p, %r2, 0;
  @%p bra ADD;
  st.global.u32 [%ticket+4], %r5;
}
)");
  u64 partial = lab.words(6), ticket = lab.words(2);
  for (int n = 0; n < 10000; ++n) {
    std::memset(lab.host(partial), 0, 24);
    lab.host(ticket)[1] = 0;
    ASSERT_EQ(lab.fault(6, 1, {partial, ticket}), "");
    ASSERT_EQ(lab.host(ticket)[1], 21u) << "launch " << n;
    ASSERT_EQ(lab.host(ticket)[0], 0u) << "launch " << n;
  }
}

TEST(Waiting, LanesMeetAtAnyWarpBarrier) {
  // The halves of a warp come to different bar.warp.sync instructions: what the upper half wrote before its
  // own, the lower half reads behind its own, and the other way round (since compute capability 7.0 arrivals
  // count, not places).
  Lab lab(R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %out, %at; .reg .pred %p;
  .shared .b32 box[32];
  .reg .b32 %box, %mine, %other;
  ld.param.u64 %out, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %box, box;
  mad.lo.u32 %mine, %r0, 4, %box;
  xor.b32 %r1, %r0, 16;
  mad.lo.u32 %other, %r1, 4, %box;
  setp.lt.u32 %p, %r0, 16;
  @%p bra LOW;
  st.shared.u32 [%mine], %r0;
  bar.warp.sync -1;
  ld.shared.u32 %r2, [%other];
  bra DONE;
LOW:
  add.u32 %r3, %r0, 100;
  st.shared.u32 [%mine], %r3;
  bar.warp.sync -1;
  ld.shared.u32 %r2, [%other];
DONE:
  mad.wide.u32 %at, %r0, 4, %out;
  st.global.u32 [%at], %r2;
}
)");
  u64 out = lab.words(32);
  ASSERT_EQ(lab.fault(1, 32, {out}), "");
  for (u32 lane = 0; lane < 32; ++lane)
    EXPECT_EQ(lab.host(out)[lane], lane < 16 ? lane + 16 : lane - 16 + 100);
}

const char* kGridBarrier = R"(
.visible .entry k(.param .u64 arrived, .param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %arrived, %out, %at; .reg .pred %p;
  ld.param.u64 %arrived, [arrived]; ld.param.u64 %out, [out];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x;
  mov.u32 %r2, %tid.x;
  setp.ne.u32 %p, %r2, 0;
  @%p bra JOIN;
  atom.global.add.u32 %r3, [%arrived], 1;
WAIT:
  ld.volatile.global.u32 %r3, [%arrived];
  setp.lt.u32 %p, %r3, %r1;
  @%p bra WAIT;
JOIN:
  bar.sync 0;
  ld.volatile.global.u32 %r4, [%arrived];
  mad.wide.u32 %at, %r0, 4, %out;
  st.global.u32 [%at], %r4;
}
)";

TEST(Waiting, GridBarrierOfACooperativeLaunch) {
  for (int threads : {1, 2, 3}) {
    Lab lab(kGridBarrier, Lab::small(threads));
    u64 arrived = lab.words(1), out = lab.words(64);
    auto r = lab.launch(64, 96, {arrived, out}, true);
    ASSERT_TRUE(r);
    ASSERT_TRUE(r->faults.empty()) << r->faults[0].message;
    for (u32 b = 0; b < 64; ++b) EXPECT_EQ(lab.host(out)[b], 64u);
  }
}

/// 63 blocks wait for the last one, on one thread of the host: none of them may look so long that others do
/// not get their turns (a limit of 200,000 rounds is less than the turns of one block once were).
TEST(Waiting, BlocksThatOnlyLookLetOthersHaveTheirTurns) {
  Settings settings = Lab::small(1);
  settings.branch_limit = 200'000;
  Lab lab(kGridBarrier, settings);
  u64 arrived = lab.words(1), out = lab.words(64);
  auto r = lab.launch(64, 96, {arrived, out}, true);
  ASSERT_TRUE(r);
  ASSERT_TRUE(r->faults.empty()) << r->faults[0].message;
  for (u32 b = 0; b < 64; ++b) EXPECT_EQ(lab.host(out)[b], 64u);
}

TEST(Waiting, AnEndlessLoopWhoseLanesPartIsGivenUp) {
  Settings settings = Lab::small(1);
  settings.branch_limit = 100'000;
  Lab lab(R"(
.visible .entry k(.param .u64 words)
{
  .reg .b32 %r<4>; .reg .b64 %words; .reg .pred %p;
  ld.param.u64 %words, [words];
  mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 1; setp.ne.u32 %p, %r1, 0;
ROUND:
  @%p bra ODD;
  red.global.add.u32 [%words], 1;
  bra.uni ROUND2;
ODD:
  red.global.add.u32 [%words+4], 1;
ROUND2:
  bra.uni ROUND;
}
)",
          settings);
  EXPECT_NE(lab.fault(1, 32, {lab.words(2)}).find("instruction limit"), std::string::npos);
}

/// As if the lanes came one after another: each gets what those before it left.
TEST(Waiting, LanesThatAddToOneWordComeInTheirOrder) {
  for (const char* lanes : {"0xffffffff", "0x00ff0f3c"}) {
    Lab lab(std::string(R"(
.visible .entry k(.param .u64 word, .param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p0;
  ld.param.u64 %d0, [word];
  ld.param.u64 %d1, [out];
  mov.u32 %r0, %laneid;
  mul.wide.u32 %d2, %r0, 4;
  add.s64 %d1, %d1, %d2;
  shr.u32 %r1, )") +
            lanes + R"(, %r0;
  and.b32 %r1, %r1, 1;
  setp.ne.u32 %p0, %r1, 0;
  mad.lo.u32 %r2, %r0, %r0, 3;
  mov.u32 %r3, 777;
  @%p0 atom.global.add.u32 %r3, [%d0], %r2;
  st.global.u32 [%d1], %r3;
})");
    u64 word = lab.words(1), out = lab.words(32);
    lab.host(word)[0] = 5;
    auto r = lab.launch(1, 32, {word, out});
    ASSERT_TRUE(r);
    ASSERT_TRUE(r->faults.empty()) << r->faults[0].message;
    u32 sum = 5;
    for (u32 l = 0; l < 32; ++l) {
      const bool adds = std::strtoul(lanes, nullptr, 16) >> l & 1;
      EXPECT_EQ(lab.host(out)[l], adds ? sum : 777u) << "lane " << l;
      if (adds) sum += l * l + 3;
    }
    EXPECT_EQ(lab.host(word)[0], sum);
  }
}

TEST(Waiting, ACooperativeLaunchThatDoesNotFitIsRefused) {
  Settings settings = Lab::small(2);
  settings.multiprocessors = 2;
  settings.threads_per_multiprocessor = 256;
  Lab lab(kGridBarrier, settings);
  u64 arrived = lab.words(1), out = lab.words(64);
  EXPECT_TRUE(lab.launch(4, 128, {arrived, out}, true));
  auto r = lab.launch(5, 128, {arrived, out}, true);
  ASSERT_FALSE(r);
  EXPECT_TRUE(says(r.error()[0].message, {"5 blocks", "only 4"}));
}

TEST(Waiting, TheFirstBlockMayWaitForTheLastOneThatIsResident) {
  Settings settings = Lab::small(1);
  settings.multiprocessors = 2;
  settings.blocks_per_multiprocessor = 4;
  Lab lab(R"(
.visible .entry k(.param .u64 flag)
{
  .reg .b32 %r<4>; .reg .b64 %flag; .reg .pred %p;
  ld.param.u64 %flag, [flag];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x;
  sub.u32 %r1, %r1, 1;
  setp.eq.u32 %p, %r0, %r1;
  @%p st.volatile.global.u32 [%flag], 7;
  setp.ne.u32 %p, %r0, 0;
  @%p exit;
WAIT:
  ld.volatile.global.u32 %r2, [%flag];
  setp.eq.u32 %p, %r2, 0;
  @%p bra WAIT;
  st.global.u32 [%flag+4], %r2;
}
)",
          settings);
  u64 flag = lab.words(2);
  EXPECT_EQ(lab.fault(8, 32, {flag}), "");
  EXPECT_EQ(lab.host(flag)[1], 7u);
}

TEST(Waiting, ResultsDoNotDependOnTheNumberOfHostThreads) {
  // Each block hashes its number and what its threads exchange through shared memory.
  const char* body = R"(
.shared .b32 s[96];
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %out, %at, %s; .reg .pred %p;
  ld.param.u64 %out, [out];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u64 %s, s;
  mad.lo.u32 %r2, %r1, 96, %r0;
  mad.wide.u32 %out, %r2, 4, %out;
  mad.wide.u32 %at, %r0, 4, %s;
  mov.u32 %r3, 10;
LOOP:
  mad.lo.u32 %r2, %r2, 1664525, 1013904223;
  st.shared.u32 [%at], %r2;
  bar.sync 0;
  add.u32 %r4, %r0, 1; rem.u32 %r4, %r4, 96; mul.wide.u32 %s, %r4, 4;
  ld.shared.u32 %r5, [%s];
  bar.sync 0;
  xor.b32 %r2, %r2, %r5;
  sub.u32 %r3, %r3, 1; setp.ne.u32 %p, %r3, 0;
  @%p bra LOOP;
  st.global.u32 [%out], %r2;
}
)";
  std::vector<u32> first;
  for (int threads : {1, 2, 3, 7}) {
    Lab lab(body, Lab::small(threads));
    u64 out = lab.words(40 * 96);
    ASSERT_EQ(lab.fault(40, 96, {out}), "");
    std::vector<u32> got(lab.host(out), lab.host(out) + 40 * 96);
    if (first.empty()) first = got;
    EXPECT_EQ(got, first) << threads << " threads";
  }
}

}  // namespace
}  // namespace ww::engine
