// Lanes of one warp that go different ways, and where they meet again. Expected masks are worked out by hand.
#include "engine_kernels.h"

namespace ww::engine {
namespace {

const std::string kHead = R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<8>; .reg .b64 %out;
  ld.param.u64 %out, [out];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd0, %r0, 4;
  add.u64 %out, %out, %rd0;
)";

/// Runs one warp and returns each lane's word.
std::vector<u32> lanes(const std::string& body, const std::string& before = "") {
  Lab lab(before + kHead + body + "}\n");
  u64 out = lab.words(32);
  EXPECT_EQ(lab.fault(1, 32, {out}), "");
  return {lab.host(out), lab.host(out) + 32};
}

TEST(Divergence, NestedBranchesSeeTheirOwnLanesAndMeetAgain) {
  auto got = lanes(R"(
  and.b32 %r1, %r0, 1;  and.b32 %r2, %r0, 2;
  setp.ne.u32 %p1, %r1, 0;  setp.ne.u32 %p2, %r2, 0;
  mov.u32 %r5, 0;
  @!%p1 bra EVEN;
  @!%p2 bra ODD_LOW;
  activemask.b32 %r5;
  bra ODD_END;
ODD_LOW:
  not.b32 %r5, %r5;
ODD_END:
  activemask.b32 %r6;
  xor.b32 %r5, %r5, %r6;
EVEN:
  activemask.b32 %r7;
  add.u32 %r5, %r5, %r7;
  st.global.u32 [%out], %r5;
  ret;
)");
  for (u32 l = 0; l < 32; ++l) {
    u32 inner = !(l & 1) ? 0 : l & 2 ? 0x88888888u ^ 0xaaaaaaaau : ~0xaaaaaaaau;
    EXPECT_EQ(got[l], inner + 0xffffffffu) << l;
  }
}

TEST(Divergence, LoopsWithDifferentTripCountsThinOutAndMeetBehind) {
  auto got = lanes(R"(
  mov.u32 %r1, 0;  mov.u32 %r2, 0;
LOOP:
  activemask.b32 %r3;
  popc.b32 %r3, %r3;
  add.u32 %r2, %r2, %r3;
  add.u32 %r1, %r1, 1;
  setp.le.u32 %p1, %r1, %r0;
  @%p1 bra LOOP;
  activemask.b32 %r4;
  setp.eq.u32 %p2, %r4, -1;
  @!%p2 mov.u32 %r2, 0;
  st.global.u32 [%out], %r2;
  ret;
)");
  for (u32 l = 0; l < 32; ++l) {
    u32 sum = 0;
    for (u32 round = 0; round <= l; ++round) sum += 32 - round;  // lanes 0 … round-1 have left
    EXPECT_EQ(got[l], sum) << l;
  }
}

TEST(Divergence, LanesThatEndEarlyAreNotWaitedFor) {
  auto got = lanes(R"(
  st.global.u32 [%out], %r0;
  and.b32 %r1, %r0, 3;
  setp.eq.u32 %p1, %r1, 0;
  setp.eq.u32 %p2, %r1, 1;
  @%p1 bra LEAVE;
  @%p2 exit;
  bra MEET;
LEAVE:
  ret;
MEET:
  activemask.b32 %r2;
  vote.sync.ballot.b32 %r3, %p1, -1;
  sub.u32 %r2, %r2, %r3;
  st.global.u32 [%out], %r2;
)");
  for (u32 l = 0; l < 32; ++l) EXPECT_EQ(got[l], l % 4 < 2 ? l : 0xccccccccu) << l;
}

TEST(Divergence, AVoteIsDecidedWhenTheLastLaneItWaitsForEnds) {
  // Lanes 1, 3, … wait at the vote; lanes 0, 2, … take their time and end instead of coming.
  auto got = lanes(R"(
  and.b32 %r1, %r0, 1;
  setp.eq.u32 %p1, %r1, 0;
  @!%p1 bra ODD;
  mov.u32 %r2, 100;
SPIN:
  sub.u32 %r2, %r2, 1;
  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra SPIN;
  exit;
ODD:
  vote.sync.ballot.b32 %r3, 1, -1;
  st.global.u32 [%out], %r3;
)");
  for (u32 l = 0; l < 32; ++l) EXPECT_EQ(got[l], l & 1 ? 0xaaaaaaaau : 0u) << l;
}

TEST(Divergence, SwitchThroughATableWithFallThroughAndMeetingBehind) {
  auto got = lanes(R"(
  and.b32 %r1, %r0, 3;
  mov.u32 %r2, 0;
TABLE: .branchtargets A, B, C, A;
  brx.idx %r1, TABLE;
A:
  activemask.b32 %r2;
  bra OUT;
B:
  add.u32 %r2, %r2, 100;
C:
  add.u32 %r2, %r2, 10;
OUT:
  activemask.b32 %r3;
  setp.eq.u32 %p1, %r3, -1;
  @!%p1 mov.u32 %r2, 0;
  st.global.u32 [%out], %r2;
)");
  for (u32 l = 0; l < 32; ++l) {
    // Cases 0 and 3 are one block, but the manual leaves open whether their lanes go there together.
    if (l % 4 == 1)
      EXPECT_EQ(got[l], 110u) << l;
    else if (l % 4 == 2)
      EXPECT_EQ(got[l], 10u) << l;
    else
      EXPECT_TRUE(got[l] >> l & 1 && (got[l] & 0x66666666u) == 0) << l << ": " << got[l];
  }
}

TEST(Divergence, ABranchToWhereItFallsToAnywayMeetsAtOnce) {
  auto got = lanes(R"(
  setp.lt.u32 %p1, %r0, 5;
  setp.lt.u32 %p2, %r0, 20;
  @%p2 bra OUT;
  @%p1 bra NEXT;
NEXT:
OUT:
  activemask.b32 %r1;
  st.global.u32 [%out], %r1;
  bar.sync 0;
)");
  for (u32 l = 0; l < 32; ++l) EXPECT_EQ(got[l], 0xffffffffu) << l;
}

const char* kFactorial = R"(
.func (.param .b32 result) factorial(.param .b32 n)
{
  .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u32 %r0, [n];
  setp.gt.u32 %p, %r0, 1;
  @%p bra MORE;
  st.param.b32 [result], 1;
  ret;
MORE:
  sub.u32 %r1, %r0, 1;
  { .param .b32 a; .param .b32 b;
  st.param.b32 [a], %r1;
  call (b), factorial, (a);
  ld.param.b32 %r2, [b]; }
  mul.lo.u32 %r3, %r0, %r2;
  st.param.b32 [result], %r3;
  ret;
}
)";

TEST(Divergence, RecursionOfDifferentDepthMeetsBehindTheCall) {
  auto got = lanes(R"(
  rem.u32 %r1, %r0, 11;
  { .param .b32 a; .param .b32 b;
  st.param.b32 [a], %r1;
  call (b), factorial, (a);
  ld.param.b32 %r2, [b]; }
  activemask.b32 %r3;
  setp.eq.u32 %p1, %r3, -1;
  @!%p1 mov.u32 %r2, 0;
  st.global.u32 [%out], %r2;
)",
                   kFactorial);
  for (u32 l = 0; l < 32; ++l) {
    u32 f = 1;
    for (u32 k = 2; k <= l % 11; ++k) f *= k;
    EXPECT_EQ(got[l], f) << l;
  }
}

TEST(Divergence, AGuardedCallMeetsTheOthersBehindIt) {
  auto got = lanes(R"(
  setp.lt.u32 %p1, %r0, 7;
  mov.u32 %r2, 3;
  { .param .b32 a; .param .b32 b;
  st.param.b32 [a], 4;
  st.param.b32 [b], 3;
  @%p1 call (b), factorial, (a);
  ld.param.b32 %r2, [b]; }
  activemask.b32 %r3;
  add.u32 %r2, %r2, %r3;
  st.global.u32 [%out], %r2;
)",
                   kFactorial);
  for (u32 l = 0; l < 32; ++l) EXPECT_EQ(got[l], (l < 7 ? 24u : 3u) - 1) << l;
}

const char* kFunctions = R"(
.func (.param .b32 result) plus(.param .b32 n)
{ .reg .b32 %r<2>; ld.param.u32 %r0, [n]; add.u32 %r1, %r0, 100; st.param.b32 [result], %r1; ret; }
.func (.param .b32 result) twice(.param .b32 n)
{ .reg .b32 %r<2>; ld.param.u32 %r0, [n]; shl.b32 %r1, %r0, 1; st.param.b32 [result], %r1; ret; }
.global .align 8 .u64 table[2] = {plus, twice};
)";

TEST(Divergence, PointersToFunctionsInMemoryAreCalledAndMeetBehind) {
  auto got = lanes(R"(
  and.b32 %r1, %r0, 1;
  mov.u64 %rd1, table;
  mad.wide.u32 %rd1, %r1, 8, %rd1;
  ld.global.u64 %rd2, [%rd1];
  { .param .b32 a; .param .b32 b;
  st.param.b32 [a], %r0;
  PROTOTYPE: .callprototype (.param .b32 _) _ (.param .b32 _);
  call (b), %rd2, (a), PROTOTYPE;
  ld.param.b32 %r2, [b]; }
  activemask.b32 %r3;
  setp.eq.u32 %p1, %r3, -1;
  @!%p1 mov.u32 %r2, 0;
  st.global.u32 [%out], %r2;
)",
                   kFunctions);
  for (u32 l = 0; l < 32; ++l) EXPECT_EQ(got[l], l & 1 ? 2 * l : l + 100) << l;
}

/// PTX ISA, .func: parameters and results may be registers.
TEST(Divergence, FunctionsTakeAndGiveRegisters) {
  auto got = lanes(R"(
  setp.gt.u32 %p1, %r0, 20;
  mov.u32 %r2, 7;
  @%p1 call (%r2), mix, (%r0, 1000);
  st.global.u32 [%out], %r2;
)",
                   R"(
.func (.reg .b32 %s) mix(.reg .b32 %n, .reg .b32 %m)
{ .reg .pred %p;
AGAIN: add.u32 %n, %n, %m; setp.lt.u32 %p, %n, 1500; mov.u32 %s, 1; @%p bra AGAIN;
  setp.eq.u32 %p, %n, 2025; mov.u32 %s, %n; @%p ret; add.u32 %s, %s, 1; ret; })");
  for (u32 l = 0; l < 32; ++l) EXPECT_EQ(got[l], l <= 20 ? 7 : l == 25 ? 2025 : l + 2001) << l;
}

TEST(Divergence, EndlessRecursionIsAStackOverflow) {
  Lab lab(".func deeper() { call deeper; ret; }\n.visible .entry k() { call deeper; ret; }\n");
  EXPECT_TRUE(says(lab.fault(1, 32, {}), {"stack overflow", "test.ptx:4", "block (0,0,0), thread (0,0,0)"}));
}

// `if (tid >= 40) return;` before a barrier: 24 lanes of the second warp branch to where all return.
TEST(Divergence, LanesThatOnlyReturnDoNotHoldABarrierUp) {
  const std::string kernel = R"(
.visible .entry k(.param .u64 out) {
  .reg .u64 %rd<4>; .reg .u32 %r<4>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, 40;
  @%p1 bra END;
  bar.sync 0;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  bar.sync 0;
  END: ret;
})";
  Lab lab(kernel);
  const u64 out = lab.words(64);
  EXPECT_EQ(lab.fault(2, 64, {out}), "");
  EXPECT_EQ(lab.host(out)[39], 39u);
  EXPECT_EQ(lab.host(out)[40], 0u);
  // Who still has something to do there holds it up.
  std::string waits = kernel;
  waits.replace(waits.find("END: ret"), 8, "END: st.global.u32 [%rd1], %r1; ret");
  Lab other(waits);
  EXPECT_TRUE(says(other.fault(1, 64, {other.words(64)}),
                   {"barrier deadlock", "lanes 8-31: wait where the paths of the warp reconverge"}));
}

// data/measured/h200-ptx/shuffle_sources.csv.
TEST(Divergence, ShufflesFromLanesThatDoNotTakePartGiveZero) {
  for (const char* others :
       {"bra.uni END;", "exit;", "shfl.sync.up.b32 %r5, %r1, 8, 0, 0xffff0000; bra.uni END;"}) {
    auto got = lanes(std::string(R"(
  add.u32 %r1, %r0, 100;
  setp.lt.u32 %p1, %r0, 16;
  @%p1 bra LOW;
  )") + others + R"(
LOW:
  shfl.sync.down.b32 %r5, %r1, 8, 31, 0xffff;
  shfl.sync.bfly.b32 %r6, %r1, 16, 31, 0xffff;
  add.u32 %r5, %r5, %r6;
  st.global.u32 [%out], %r5;
END:
  bar.warp.sync 0xffffffff;
  ret;
)");
    for (u32 l = 0; l < 16; ++l) EXPECT_EQ(got[l], l < 8 ? 108 + l : 0) << others << " lane " << l;
  }
}

}  // namespace
}  // namespace ww::engine
