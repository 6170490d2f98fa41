// Lanes that have parted stay in whole-warp code: where they look at each other and all are there that an
// instruction names, and where they meet again with different numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

/// Two of three lanes ask each other, first all of them, then every other one alone.
TEST(WholeWarpsParted, AskThoseThatAreThere) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text = R"(.shared .align 4 .b8 tile[512];
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<24>; .reg .b64 %d<6>; .reg .pred %p<6>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d2, %r3, 64; add.s64 %d1, %d1, %d2; mul.wide.u32 %d3, %r3, 4; add.s64 %d0, %d0, %d3;
mov.u32 %r4, tile; shl.b32 %r5, %r0, 2; add.u32 %r4, %r4, %r5;
and.b32 %r6, %r0, 31; rem.u32 %r7, %r6, 3; setp.eq.u32 %p0, %r7, 0; @%p0 bra MEET;
activemask.b32 %r8; st.global.u32 [%d1], %r8;
and.b32 %r9, %r6, 1; setp.ne.u32 %p1, %r9, 0; vote.sync.ballot.b32 %r10, %p1, %r8; st.global.u32 [%d1 + 4], %r10;
add.u32 %r11, %r6, 100; shfl.sync.idx.b32 %r12|%p2, %r11, 4, 31, %r8; st.global.u32 [%d1 + 8], %r12;
redux.sync.add.u32 %r13, %r6, %r8; st.global.u32 [%d1 + 12], %r13;
vote.sync.any.pred %p3, %p1, %r8; selp.u32 %r14, 1, 0, %p3; st.global.u32 [%d1 + 16], %r14;
cp.async.ca.shared.global [%r4], [%d0], 4; cp.async.commit_group; cp.async.wait_group 0;
bar.warp.sync %r8; ld.shared.u32 %r15, [%r4]; st.global.u32 [%d1 + 20], %r15;
@!%p1 bra MEET;
activemask.b32 %r16; match.any.sync.b32 %r17, %r7, %r16; st.global.u32 [%d1 + 24], %r16; st.global.u32 [%d1 + 28], %r17;
MEET: mov.u32 %r18, 9; st.global.u32 [%d1 + 32], %r18; ret;
})";
  for (const Form block : {Form{128, 1, 1}, Form{50, 1, 1}}) {
    SCOPED_TRACE(block.x);
    const Outcome3 o = expect_the_same(text, {40, 1, 1}, block);
    EXPECT_TRUE(o.whole);
    EXPECT_EQ(o.left, 0u);
    for (u32 k = 0; k < 40 * block.x && !HasFailure(); ++k) {
      const u32 t = k % block.x, lane = t % 32, lanes = std::min(block.x - t / 32 * 32, 32u);
      const u32* got = &o.memory[k * kOutWords];
      EXPECT_EQ(got[8], 9u);
      if (lane % 3 == 0) continue;
      u32 active = 0, odd = 0, sum = 0, like_it = 0;
      for (u32 l = 0; l < lanes; ++l) {
        if (l % 3 == 0) continue;
        active |= 1u << l, sum += l;
        if (l % 2 == 0) continue;
        odd |= 1u << l;
        if (l % 3 == lane % 3) like_it |= 1u << l;
      }
      EXPECT_EQ(got[0], active);
      EXPECT_EQ(got[1], odd);
      EXPECT_EQ(got[2], 104u);
      EXPECT_EQ(got[3], sum);
      EXPECT_EQ(got[4], 1u);
      EXPECT_EQ(got[5], k * 2654435761u >> (k % 29));  // run_with() fills the input so
      if (lane % 2 == 0) continue;
      EXPECT_EQ(got[6], odd);
      EXPECT_EQ(got[7], like_it);
    }
  }
}

/// Each lane looks for its own number, four times: where they meet again, what was the same in all of them
/// (how far they have come, how often they had to look) is so no more.
TEST(WholeWarpsParted, ComeBackWithDifferentNumbers) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text = R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<16>; .reg .b64 %d<8>; .reg .pred %p<4>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d2, %r3, 64; add.s64 %d1, %d1, %d2; mov.u32 %r4, 0; mov.u32 %r5, 0;
REPEAT: add.u32 %r6, %r0, %r5; rem.u32 %r6, %r6, 29; mul.wide.u32 %d3, %r6, 4; add.s64 %d3, %d0, %d3;
ld.global.u32 %r7, [%d3]; mov.u32 %r8, 0;
LOOK: mul.wide.u32 %d4, %r8, 4; add.s64 %d4, %d0, %d4; ld.global.u32 %r9, [%d4]; add.u32 %r4, %r4, 1;
setp.eq.u32 %p0, %r9, %r7; @%p0 bra FOUND;
add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 40; @%p1 bra LOOK;
FOUND: mul.wide.u32 %d5, %r5, 4; add.s64 %d5, %d1, %d5; st.global.u32 [%d5], %r8;
add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 4; @%p2 bra REPEAT;
st.global.u32 [%d1 + 16], %r4; ret;
})";
  const Outcome3 o = expect_the_same(text, {40, 1, 1}, {64, 1, 1});
  EXPECT_TRUE(o.whole);
  EXPECT_EQ(o.left, 0u);
  const auto input = [](u32 k) { return k * 2654435761u >> (k % 29); };  // run_with() fills it so
  for (u32 k = 0; k < 40 * 64 && !HasFailure(); ++k) {
    u32 looks = 0;
    for (u32 round = 0; round < 4; ++round) {
      u32 at = 0;
      while (at < 40 && input(at) != input((k % 64 + round) % 29)) ++at;
      EXPECT_EQ(o.memory[k * kOutWords + round], at);
      looks += std::min(at + 1, 40u);
    }
    EXPECT_EQ(o.memory[k * kOutWords + 4], looks);
  }
}

/// Both sides of a branch wait for each other: whoever comes first leaves the code.
TEST(WholeWarpsParted, WaitForThoseThatAreElsewhere) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text = R"(.shared .align 4 .b8 tile[128];
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<16>; .reg .b64 %d<4>; .reg .pred %p<2>;
ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 32, %r0;
mul.wide.u32 %d2, %r2, 64; add.s64 %d1, %d1, %d2;
mov.u32 %r3, tile; shl.b32 %r4, %r0, 2; add.u32 %r3, %r3, %r4; add.u32 %r5, %r2, 1000; mov.u32 %r6, 5;
setp.lt.u32 %p0, %r0, 16; @%p0 bra WRITE;
bar.warp.sync -1; ld.shared.u32 %r6, [%r3 + -64]; bra MEET;
WRITE: st.shared.u32 [%r3], %r5; bar.warp.sync -1;
MEET: st.global.u32 [%d1], %r6; ret;
})";
  const Outcome3 o = expect_the_same(text, {40, 1, 1}, {32, 1, 1});
  EXPECT_TRUE(o.whole);
  for (u32 k = 0; k < 40 * 32 && !HasFailure(); ++k)
    EXPECT_EQ(o.memory[k * kOutWords], k % 32 < 16 ? 5u : k - 16 + 1000) << k;
}

/// 150 registers that are read at the end, and 60 branches before that part the lanes of each warp: more
/// values meet than LLVM brings together in reasonable time, so lanes that part leave the code.
TEST(WholeWarpsParted, LeaveCodeInWhichTooManyValuesMeet) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  constexpr u32 kRegisters = 150, kBranches = 60;
  std::string text = R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %v<150>; .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<2>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;
mad.lo.u32 %r2, %r1, 32, %r0; mul.wide.u32 %d2, %r2, 64; add.s64 %d1, %d1, %d2; mov.u32 %r4, 0;
)";
  for (u32 v = 0; v < kRegisters; ++v)
    text += fmt::format("ld.global.u32 %v{}, [%d0 + {}];\n", v, v % 29 * 4);
  for (u32 b = 0; b < kBranches; ++b)
    text += fmt::format(
        "shr.u32 %r5, %r0, {0}; and.b32 %r5, %r5, 1; setp.eq.u32 %p0, %r5, 0; @%p0 bra S{1};\n"
        "add.u32 %v{1}, %v{1}, {2}; S{1}:\n",
        b % 5, b, b + 1);
  for (u32 v = 0; v < kRegisters; ++v) text += fmt::format("mad.lo.u32 %r4, %v{}, {}, %r4;\n", v, 2 * v + 1);
  const Outcome3 o = expect_the_same(text + "st.global.u32 [%d1], %r4; ret; }", {40, 1, 1}, {32, 1, 1});
  EXPECT_TRUE(o.whole);
  EXPECT_GT(o.left, 0u);
  const auto input = [](u32 k) { return k * 2654435761u >> (k % 29); };  // run_with() fills it so
  for (u32 lane = 0; lane < 32; ++lane) {
    u32 sum = 0;
    for (u32 v = 0; v < kRegisters; ++v)
      sum += (2 * v + 1) * (input(v % 29) + (v < kBranches && (lane >> v % 5 & 1) ? v + 1 : 0));
    EXPECT_EQ(o.memory[lane * kOutWords], sum) << lane;
  }
}

/// Registers that were in the frame at a barrier, and that lanes change which go first: the others leave the
/// code, so that the interpreter brings all together.
TEST(WholeWarpsParted, LeaveWhatOthersHaveChanged) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  // So many that this way out shares no code with others, which bring more registers.
  std::string load, change, sum;
  for (u32 n = 10; n < 22; ++n) {
    load += fmt::format("ld.global.u32 %r{}, [%d0 + {}];\n", n, 4 * n);
    change += fmt::format("add.u32 %r{0}, %r{0}, {0};\n", n);
    sum += fmt::format("mad.lo.u32 %r4, %r4, 31, %r{};\n", n);
  }
  for (const char* leaves : {"nanosleep.u32 1;", "@%p2 exit;"}) {
    SCOPED_TRACE(leaves);
    const Outcome3 o = expect_the_same(fmt::format(R"(.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b32 %r<24>; .reg .b64 %d<6>; .reg .pred %p<4>;
ld.param.u64 %d4, [in]; ld.param.u64 %d5, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;
mad.lo.u32 %r3, %r1, 64, %r0; mul.wide.u32 %d2, %r3, 64; add.s64 %d1, %d5, %d2;
mul.wide.u32 %d3, %r0, 4; add.s64 %d0, %d4, %d3; mov.u32 %r4, 1; {load}
setp.eq.u32 %p2, %r0, 9;
bar.sync 0;
and.b32 %r6, %r0, 5; setp.eq.u32 %p1, %r6, 1; @%p1 bra OTHERS;
{change}
bra.uni MEET;
OTHERS: {leaves}
add.u32 %r10, %r10, 9;
MEET: {sum} st.global.u32 [%d1], %r4; ret;
}})",
                                                   fmt::arg("load", load), fmt::arg("change", change),
                                                   fmt::arg("sum", sum), fmt::arg("leaves", leaves)),
                                       {3, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(o.whole);
    EXPECT_EQ(o.fault, "");
  }
}

/// A register that might be read before it is written keeps what it got when the interpreter takes over: lane
/// 5 ends there. (A launch's first block begins with a start of each warp, further ones do without.)
TEST(WholeWarpsParted, LeaveRegistersThatMayBeUnsetAsTheyAre) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  for (const char* barrier : {"", "bar.sync 0;"}) {
    SCOPED_TRACE(barrier);
    expect_the_same(fmt::format(R"(.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<4>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;
setp.gt.u32 %p0, %r1, 1000; @%p0 bra UNSET;
mul.wide.u32 %d3, %r0, 4; add.s64 %d3, %d0, %d3; ld.global.u32 %r2, [%d3];
UNSET: {barrier}
setp.eq.u32 %p1, %r0, 5; @%p1 exit;
mad.lo.u32 %r3, %r1, 64, %r0; mul.wide.u32 %d2, %r3, 4; add.s64 %d1, %d1, %d2; st.global.u32 [%d1], %r2;
ret;
}})",
                                fmt::arg("barrier", barrier)),
                    {8, 1, 1}, {64, 1, 1});
  }
}

/// A loop over a row of words, in steps of a warp, as compilers unroll it: first what is left over when the
/// rounds are divided by four, then four at a time. Some lanes have one round more of the first loop, so
/// their index is none of a row any more.
std::string strided(const std::string& between, const std::string& within) {
  return R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<20>; .reg .b64 %d<8>; .reg .pred %p<6>; .shared .align 4 .b8 words[1024];
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d2, %r3, 64; add.s64 %d1, %d1, %d2; mov.u32 %r4, %r0; mov.u32 %r10, 0;
add.u32 %r5, %r1, 700; sub.u32 %r5, %r5, %r0; shr.u32 %r5, %r5, 5; add.u32 %r6, %r5, 1; and.b32 %r6, %r6, 3;
setp.eq.u32 %p0, %r6, 0; @%p0 bra FOURS;
LEFT: mul.wide.u32 %d3, %r4, 4; add.s64 %d3, %d0, %d3; ld.global.u32 %r7, [%d3]; mad.lo.u32 %r10, %r10, 31, %r7;
add.u32 %r4, %r4, 32; add.u32 %r6, %r6, -1; setp.ne.u32 %p1, %r6, 0; @%p1 bra LEFT;
FOURS: setp.lt.u32 %p2, %r5, 3; @%p2 bra END;
)" + between +
         R"(
NEXT: mul.wide.u32 %d3, %r4, 4; add.s64 %d3, %d0, %d3; ld.global.u32 %r7, [%d3]; ld.global.u32 %r8, [%d3 + 128];
mad.lo.u32 %r10, %r10, 31, %r7; mad.lo.u32 %r10, %r10, 31, %r8;
)" + within +
         R"(
add.u32 %r4, %r4, 128; setp.lt.u32 %p3, %r4, 600; @%p3 bra NEXT;
END: st.global.u32 [%d1], %r10; st.global.u32 [%d1 + 4], %r4; ret;
})";
}

/// They stay in compiled code nevertheless.
TEST(WholeWarpsParted, KeepGoingWithoutTheirPatterns) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  const char* const branch =
      "and.b32 %r11, %r10, 3; setp.eq.u32 %p4, %r11, 0; @%p4 bra ON; "
      "xor.b32 %r10, %r10, 12345;\nON:";
  const char* const barrier = "bar.sync 0;";
  for (const char* within : {"", branch})
    for (const u32 threads : {64u, 50u})
      for (const bool listened : {false, true}) {
        const Outcome3 o = expect_the_same(strided("", within), {40, 1, 1}, {threads, 1, 1}, true, listened);
        EXPECT_TRUE(o.whole);
        EXPECT_EQ(o.left, 0u);
        expect_the_same(strided(barrier, within), {40, 1, 1}, {threads, 1, 1}, true, listened);
      }
  // A barrier behind which nothing is asked that has lost its pattern.
  const Outcome3 o = expect_the_same(strided("bar.sync 0; mov.u32 %r4, %r0;", "st.shared.u32 [words], %r10;"),
                                     {40, 1, 1}, {64, 1, 1});
  EXPECT_EQ(o.left, 0u);
}

/// Conditions on %tid.y where rows have 16 threads: what holds for one half of a warp need not hold for the
/// other.
TEST(WholeWarpsParted, HalvesThatGoTheirOwnWays) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text = R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<16>; .reg .b64 %d<4>; .reg .pred %p<4>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %ctaid.x; shl.b32 %r3, %r1, 4; add.u32 %r3, %r3, %r0;
mov.u32 %r4, %ntid.y; shl.b32 %r4, %r4, 4; mad.lo.u32 %r5, %r2, %r4, %r3;
mul.wide.u32 %d2, %r5, 64; add.s64 %d1, %d1, %d2;
xor.b32 %r6, %r1, %r2; setp.eq.u32 %p0, %r6, 0; setp.gt.u32 %p1, %r1, 4; or.pred %p2, %p0, %p1;
vote.sync.ballot.b32 %r7, %p0, -1; vote.sync.ballot.b32 %r8, %p2, -1;
st.global.u32 [%d1], %r7; st.global.u32 [%d1 + 4], %r8;
mov.u32 %r9, 1; @%p2 bra ON; add.u32 %r9, %r9, %r3;
ON: st.global.u32 [%d1 + 8], %r9;
@!%p0 bra END; activemask.b32 %r10; st.global.u32 [%d1 + 12], %r10;
END: ret;
})";
  for (const bool listened : {false, true}) {
    const Outcome3 o = expect_the_same(text, {9, 1, 1}, {16, 8, 1}, true, listened);
    EXPECT_TRUE(o.whole);
    EXPECT_EQ(o.left, 0u);
    for (u32 k = 0; k < 9 * 128 && !HasFailure(); ++k) {
      const u32 block = k / 128, t = k % 128, y = t / 16, *got = &o.memory[k * kOutWords];
      u32 same = 0, either = 0;
      for (u32 half = 0; half < 2; ++half) {
        const u32 row = t / 32 * 2 + half;
        if (row == block) same |= 0xffffu << 16 * half;
        if (row == block || row > 4) either |= 0xffffu << 16 * half;
      }
      EXPECT_EQ(got[0], same);
      EXPECT_EQ(got[1], either);
      EXPECT_EQ(got[2], y == block || y > 4 ? 1 : 1 + t);
      if (y == block) {
        EXPECT_EQ(got[3], same);
      }
    }
  }
}

}  // namespace
}  // namespace ww::engine
