// Lanes that wait in a loop in each round of which they part and meet again, while other lanes of their warp
// are to go on.
#include "engine_kernels.h"

namespace ww::engine {
namespace {

TEST(Waiting, LanesThatPartInEachRoundOfALoopLetOtherWarpsHaveTheirTurns) {
  // Threads 0 to 31 wait for the flag of the next warp; in each round even and odd lanes count in a branch of
  // their own. The flag's warp is the same block's, or another's.
  for (const u32 threads : {64u, 32u}) {
    Settings settings = Lab::small(1);
    settings.branch_limit = 1'000'000;  // else an endless loop
    Lab lab(R"(
.visible .entry k(.param .u64 words)
{
  .reg .b32 %r<6>; .reg .b64 %words; .reg .pred %p, %odd;
  ld.param.u64 %words, [words];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r0, %r1, %r2, %r0;
  setp.ge.u32 %p, %r0, 32;
  @%p bra LATER;
  and.b32 %r1, %r0, 1; setp.ne.u32 %odd, %r1, 0;
ROUND:
  @%odd bra ODD;
  red.global.add.u32 [%words+4], 1;
  bra.uni MEET;
ODD:
  red.global.add.u32 [%words+8], 1;
MEET:
  ld.volatile.global.u32 %r2, [%words];
  setp.eq.u32 %p, %r2, 0;
  @%p bra ROUND;
  ret;
LATER:
  st.volatile.global.u32 [%words], 1;
  ret;
}
)",
            settings);
    const u64 words = lab.words(3);
    std::memset(lab.host(words), 0, 12);
    EXPECT_EQ(lab.fault(64 / threads, threads, {words}), "") << threads;
    EXPECT_EQ(lab.host(words)[1], lab.host(words)[2]);  // as often in one branch as in the other
    EXPECT_GE(lab.host(words)[1], 16u);
  }
}

TEST(Waiting, LanesThatPartInEachRoundOfALoopLetOtherLanesOfTheirWarpHaveTheirTurns) {
  // Half a warp waits for the flag of the other half (a lock that tiles of 16 lanes take through one of their
  // lanes); in each round one of its lanes counts in a branch of its own.
  for (const u64 waiting : {0, 16}) {
    Settings settings = Lab::small(1);
    settings.branch_limit = 1'000'000;  // else an endless loop
    Lab lab(R"(
.visible .entry k(.param .u64 words, .param .u64 waiting)
{
  .reg .b32 %r<6>; .reg .b64 %words, %w; .reg .pred %p, %one;
  ld.param.u64 %words, [words];
  ld.param.u64 %w, [waiting]; cvt.u32.u64 %r3, %w;
  mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 16;
  setp.ne.u32 %p, %r1, %r3;
  @%p bra LATER;
  and.b32 %r1, %r0, 15; setp.ne.u32 %one, %r1, 15;
ROUND:
  @%one bra MEET;
  red.global.add.u32 [%words+4], 1;
MEET:
  ld.volatile.global.u32 %r2, [%words];
  setp.eq.u32 %p, %r2, 0;
  @%p bra ROUND;
  ret;
LATER:
  st.volatile.global.u32 [%words], 1;
  ret;
}
)",
            settings);
    const u64 words = lab.words(2);
    std::memset(lab.host(words), 0, 8);
    EXPECT_EQ(lab.fault(1, 32, {words, waiting}), "") << waiting;
    EXPECT_EQ(lab.host(words)[0], 1u);
  }
}

TEST(Waiting, LanesAtAJoinGoOnWithoutThoseThatPartInEachRoundOfALoop) {
  // As above, but the half that is waited for comes to the place where all meet before it sets the flag.
  for (const u64 waiting : {0, 16}) {
    Settings settings = Lab::small(1);
    settings.branch_limit = 1'000'000;  // else an endless loop
    Lab lab(R"(
.visible .entry k(.param .u64 words, .param .u64 waiting)
{
  .reg .b32 %r<6>; .reg .b64 %words, %w; .reg .pred %p, %one, %sets;
  ld.param.u64 %words, [words];
  ld.param.u64 %w, [waiting]; cvt.u32.u64 %r3, %w;
  mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 16;
  setp.ne.u32 %sets, %r1, %r3;
  @%sets bra ALL;
  and.b32 %r1, %r0, 15; setp.ne.u32 %one, %r1, 15;
ROUND:
  @%one bra MEET;
  red.global.add.u32 [%words+4], 1;
MEET:
  ld.volatile.global.u32 %r2, [%words];
  setp.eq.u32 %p, %r2, 0;
  @%p bra ROUND;
ALL:
  @%sets st.volatile.global.u32 [%words], 1;
  ret;
}
)",
            settings);
    const u64 words = lab.words(2);
    std::memset(lab.host(words), 0, 8);
    EXPECT_EQ(lab.fault(1, 32, {words, waiting}), "") << waiting;
    EXPECT_EQ(lab.host(words)[0], 1u);
  }
}

}  // namespace
}  // namespace ww::engine
