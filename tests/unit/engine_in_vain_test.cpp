// Threads that wait for each other in vain, and those that only seem to.
#include "engine_kernels.h"

namespace ww::engine {
namespace {

TEST(Waiting, ABarrierThatLanesOfAWarpReachOnDifferentWays) {
  Lab lab(R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %out; .reg .pred %p;
  ld.param.u64 %out, [out];
  mov.u32 %r0, %tid.x;
  and.b32 %r1, %r0, 1;
  setp.eq.u32 %p, %r1, 0;
  @%p bra EVEN;
  red.global.add.u32 [%out], 1;
  bar.sync 0;
  bra END;
EVEN:
  bar.sync 0;
  ld.global.u32 %r2, [%out];
  setp.ne.u32 %p, %r2, 32;
  @%p trap;
END:
  ret;
}
)");
  EXPECT_EQ(lab.fault(1, 64, {lab.words(1)}), "");
}

TEST(Waiting, ABarrierThatSomeNeverReachIsExplained) {
  // Thread 3 of warp 1 waits at barrier 1, all others at barrier 0.
  Lab lab(R"(
.visible .entry k()
{
  .reg .b32 %r<4>; .reg .pred %p;
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %p, %r0, 35;
  @%p bra OTHER;
  bar.sync 0;
  ret;
OTHER:
  bar.sync 1;
  ret;
}
)");
  EXPECT_TRUE(says(lab.fault(1, 64, {}),
                   {"barrier deadlock in kernel k", "warp 0, all lanes: wait at barrier 0 test.ptx:11",
                    "warp 1, lanes 0-2,4-31: wait at barrier 0 test.ptx:11",
                    "warp 1, lane 3: wait at barrier 1 test.ptx:14"}));
}

// As libcu++ waits: with an eye on the clock, so that the turns end at two places of the loop.
const char* const kAwaitsPhase = R"(
.visible .entry k(.param .u64 count)
{
  .shared .align 8 .b64 done;
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;
  mov.u32 %r0, %tid.x;
  ld.param.u32 %r1, [count];
  setp.ne.u32 %p, %r0, 0;
  @%p bra START;
  mbarrier.init.shared.b64 [done], %r1;
START:
  bar.sync 0;
  mbarrier.arrive.shared.b64 %rd0, [done];
L:
  mov.u64 %rd1, %globaltimer;
  mbarrier.try_wait.shared.b64 %p, [done], %rd0;
  @%p ret;
  nanosleep.u32 10;
  bra L;
}
)";

TEST(Waiting, APhaseThatNobodyCompletesIsADeadlock) {
  for (const bool host_may_help : {false, true}) {
    Settings settings = Lab::small(2);
    settings.standstill = 0.1;
    settings.patience = 20;
    settings.host_may_help = host_may_help;
    Lab lab(kAwaitsPhase, settings, "sm_90");
    EXPECT_EQ(lab.fault(3, 64, {64}), "");
    EXPECT_TRUE(
        says(lab.fault(3, 64, {67}), {"mbarrier deadlock in kernel k", "6 warps", "wait at test.ptx:19",
                                      "phase 0 of the mbarrier done: 64 of 67 arrivals have come, "
                                      "3 are missing"}));
  }
}

// Each of 32 lanes arrives, and 2 or 1 arrivals end a phase: 16 or 32 have ended before anybody waits, so
// that phase 0 is the 17th or the 33rd, for which nobody comes.
const char* const kTooManyArrive = R"(
.visible .entry k(.param .u64 count)
{
  .shared .align 8 .b64 done;
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;
  mov.u32 %r0, %tid.x;
  ld.param.u32 %r1, [count];
  setp.ne.u32 %p, %r0, 0;
  @%p bra START;
  mbarrier.init.shared.b64 [done], %r1;
START:
  bar.sync 0;
  mbarrier.arrive.shared.b64 _, [done];
L:
  mbarrier.try_wait.parity.shared.b64 %p, [done], 0;
  @%p ret;
  bra L;
}
)";

TEST(Waiting, PhasesThatNobodySawAreTold) {
  Settings settings = Lab::small(2);
  settings.standstill = 0.1;
  settings.patience = 20;
  Lab lab(kTooManyArrive, settings, "sm_90");
  EXPECT_EQ(lab.fault(1, 32, {32}), "");
  EXPECT_TRUE(says(lab.fault(1, 32, {2}), {"phase 0 of the mbarrier done: 0 of 2 arrivals have come",
                                           "16 phases have ended before it", "16 of them unseen by any wait",
                                           "more arrivals than the 2"}));
  EXPECT_TRUE(says(lab.fault(1, 32, {1}), {"32 phases have ended before it"}));
}

TEST(Waiting, WhatTheHostMayWriteIsNotADeadlock) {
  Settings settings = Lab::small(2);
  settings.standstill = 0.1;
  settings.patience = 1.5;
  settings.host_may_help = true;
  Lab lab(R"(
.visible .entry k(.param .u64 flag)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;
  ld.param.u64 %rd0, [flag];
L:
  mov.u64 %rd1, %globaltimer;
  ld.volatile.global.u32 %r0, [%rd0];
  setp.eq.u32 %p, %r0, 0;
  @%p bra L;
  ret;
}
)",
          settings);
  EXPECT_TRUE(says(lab.fault(2, 32, {lab.words(1)}), {"time limit in kernel k"}));
}

// A counter in a register: no state comes again, so nobody can say that it will not end. Who waits for it is
// told where it stands, while it runs.
constexpr const char* kCountsInOneThread = R"(
.visible .entry k(.param .u64 from, .param .u64 to)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;
  ld.param.u64 %rd0, [from];
  ld.param.u64 %rd1, [to];
  mov.u32 %r0, %tid.x;
  setp.ne.u32 %p, %r0, 3;
  @%p bra END;
L:
  add.u64 %rd0, %rd0, 2;
  setp.lt.u64 %p, %rd0, %rd1;
  @%p bra L;
END:
  ret;
}
)";

TEST(Waiting, WhoCountsIsTold) {
  Settings settings = Lab::small(2);
  settings.branch_limit = 0;
  settings.standstill = 0.1;
  settings.patience = 4;  // on a busy machine the second word came after 2 seconds
  settings.tell_after = 0.2;
  std::vector<LongLaunch> told;
  settings.tell_long = [&](const LongLaunch& l) { told.push_back(l); };
  Lab lab(kCountsInOneThread, settings);
  // Also where launches of the kernel are known to be short.
  for (int k = 0; k < 3; ++k) EXPECT_EQ(lab.fault(2, 64, {0, 100}), "");
  EXPECT_TRUE(told.empty());
  const std::string fault = lab.fault(1, 64, {0, ~u64{0}});
  const std::initializer_list<const char*> where = {
      "1 of 32 threads of 1 warp (one is block (0,0,0), thread (3,0,0)): at test.ptx:",
      "only its own counting can end it"};
  EXPECT_TRUE(says(fault, {"time limit in kernel k"}));
  EXPECT_TRUE(says(fault, where));
  ASSERT_GE(told.size(), 2u);
  for (const LongLaunch& l : told) {
    EXPECT_EQ(l.kernel, "k");
    EXPECT_TRUE(says(l.standing, where));
  }
  EXPECT_GE(told[1].seconds, 2 * settings.tell_after);
}

TEST(Waiting, WhoCountsInLocalMemoryAloneDoesNotStandStill) {
  // In the frame of a function that calls itself; at the ends of turns no register has the number.
  Settings settings = Lab::small(1);
  settings.back = "interpreter";
  settings.branch_limit = 0;
  settings.standstill = 0.02;
  settings.patience = 60;
  Lab lab(R"(
.func count(.param .b32 depth)
{
  .local .align 8 .b64 n;
  .reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .pred %p;
  ld.param.u32 %r0, [depth];
  setp.eq.u32 %p, %r0, 0;
  @%p bra LAST;
  sub.u32 %r0, %r0, 1;
  {
    .param .b32 next;
    st.param.b32 [next], %r0;
    call.uni count, (next);
  }
  ret;
LAST:
  mov.u64 %rd0, 0;
  st.local.u64 [n], %rd0;
L:
  ld.local.u64 %rd0, [n];
  add.u64 %rd0, %rd0, 1;
  st.local.u64 [n], %rd0;
  setp.lt.u64 %p, %rd0, 2000000;
  mov.u64 %rd0, 0;
  @%p bra L;
  ret;
}
.visible .entry k()
{
  .param .b32 depth;
  st.param.b32 [depth], 3;
  call.uni count, (depth);
  ret;
}
)",
          settings);
  EXPECT_EQ(lab.fault(1, 32, {}), "");
}

TEST(Waiting, TheHolderOfALockMayWaitForLanesThatWantIt) {
  // Whoever has left the loop waits for the others, until their patience has ended. On a busy machine that
  // takes longer than it takes to call a launch endless, as it does here.
  Settings settings = Lab::small(1);
  settings.standstill = 1e-9;
  settings.patience = 20;
  Lab lab(R"(
.visible .entry k(.param .u64 lock)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;
  ld.param.u64 %rd0, [lock];
L:
  atom.global.cas.b32 %r0, [%rd0], 0, 1;
  setp.ne.u32 %p, %r0, 0;
  @%p bra L;
  atom.global.exch.b32 %r0, [%rd0], 0;
  ret;
}
)",
          settings);
  EXPECT_EQ(lab.fault(2, 32, {lab.words(1)}), "");
}

TEST(Waiting, EndlessLoopsOfEveryKindAreStopped) {
  const char* bodies[] = {
      "L: bra L;",
      "L: @%p bra L; bra L;",  // lanes part in every round
      "T: .branchtargets L, L, M;\nL: and.b32 %r1, %r0, 1; brx.idx %r1, T; M: ret;",  // and meet at once
      "L: nanosleep.u32 10; bra L;",
      "call f; ret;",
  };
  Settings settings = Lab::small(2);
  settings.branch_limit = 100'000;
  for (const char* body : bodies) {
    // f calls itself twice, ten thousand deep if it could: more calls than there is time, though the stack
    // never overflows.
    Lab lab(std::string(R"(
.func g(.param .b32 n)
{
  .reg .b32 %r<2>; .reg .pred %p; .param .b32 a;
  ld.param.u32 %r0, [n]; setp.eq.u32 %p, %r0, 0; @%p ret; sub.u32 %r0, %r0, 1; st.param.b32 [a], %r0;
  call g, (a); call g, (a); ret;
}
.func f() { .param .b32 a; st.param.b32 [a], 60; call g, (a); ret; }
.visible .entry k()
{
  .reg .b32 %r<4>; .reg .pred %p;
  mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 9;
  )") + body + "\n}\n",
            settings);
    EXPECT_TRUE(says(lab.fault(2, 32, {}), {"instruction limit in kernel k", "endless"})) << body;
  }
}

TEST(Waiting, ALoopThatSleepsIsNotTakenForAnEndlessOne) {
  // 1000 rounds are far below the limit, though each gives up its turn.
  Settings settings = Lab::small(2);
  settings.branch_limit = 100'000;
  Lab lab(R"(
.visible .entry k(.param .u64 count)
{
  .reg .b32 %i; .reg .b64 %at; .reg .pred %p;
  ld.param.u64 %at, [count]; mov.u32 %i, 0;
L:
  nanosleep.u32 10; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 1000;
  @%p bra L;
  st.global.u32 [%at], %i;
  ret;
}
)",
          settings);
  const u64 count = lab.words(1);
  EXPECT_EQ(lab.fault(1, 32, {count}), "");
  EXPECT_EQ(lab.host(count)[0], 1000u);
}

}  // namespace
}  // namespace ww::engine
