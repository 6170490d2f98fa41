// Whole-warp code computes and counts what the interpreter does, where patterns of lanes break, code is left,
// or numbers are rounded.
#include <fmt/format.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdlib>

#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

/// Hashes and whatever else is unrolled: there is no length from which on functions are left to the
/// interpreter.
TEST(WholeWarps, LongFunctions) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  std::string text = R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<4>; .reg .b64 %d<3>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r0, %r1, %r2, %r0;
mul.wide.u32 %d2, %r0, 4; add.s64 %d0, %d0, %d2; mul.wide.u32 %d2, %r0, 64; add.s64 %d1, %d1, %d2;
ld.global.u32 %r1, [%d0]; ld.global.u32 %r2, [%d0 + 4]; ld.global.u32 %r3, [%d0 + 400];
)";
  for (int k = 0; k < 1050; ++k)
    text += fmt::format("mad.lo.u32 %r{}, %r{}, %r{}, %r{};\n", 1 + k % 3, 1 + k % 3, 1 + (k + 1) % 3,
                        1 + (k + 2) % 3);
  text += "st.global.u32 [%d1], %r1; st.global.u32 [%d1 + 4], %r2; ret;\n}\n";
  const Outcome3 o = expect_the_same(text, {8, 1, 1}, {64, 1, 1});
  EXPECT_TRUE(o.whole);
  EXPECT_EQ(o.left, 0u);
}

/// Blocks whose last warp lacks lanes, and blocks of short rows: no warp goes on interpreted. The lanes that
/// a warp lacks take no part in anything: they load and store nothing, no vote hears them, shuffles take 0
/// from them, they are not counted.
TEST(WholeWarps, WarpsThatLackLanes) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text = R"(.shared .align 4 .b8 tile[2048];
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<24>; .reg .b64 %d<8>; .reg .pred %p<4>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mov.u32 %r4, %ntid.y; mul.lo.u32 %r4, %r4, %r2; mov.u32 %r5, %ctaid.x; mad.lo.u32 %r6, %r5, %r4, %r3;
mul.wide.u32 %d2, %r6, 64; add.s64 %d1, %d1, %d2;
mov.u32 %r7, tile; shl.b32 %r8, %r3, 2; add.u32 %r7, %r7, %r8; st.shared.u32 [%r7], %r6; bar.sync 0;
setp.eq.u32 %p0, %r3, 0; mov.u32 %r9, 7; @!%p0 ld.shared.u32 %r9, [%r7 + -4];
st.global.u32 [%d1], %r9;
activemask.b32 %r10; st.global.u32 [%d1 + 4], %r10;
add.u32 %r11, %r3, 100; shfl.sync.down.b32 %r12, %r11, 1, 31, %r10; st.global.u32 [%d1 + 8], %r12;
setp.lt.u32 %p1, %r3, 1000; vote.sync.all.pred %p2, %p1, %r10; selp.u32 %r13, 1, 0, %p2;
st.global.u32 [%d1 + 12], %r13;
vote.ballot.sync.b32 %r14, !%p1, %r10; st.global.u32 [%d1 + 16], %r14;
mov.u32 %r15, 0; mov.u32 %r16, 0;
LOOP: add.u32 %r16, %r16, %r15; add.u32 %r15, %r15, 1; and.b32 %r17, %r3, 3; setp.le.u32 %p3, %r15, %r17; @%p3 bra LOOP;
st.global.u32 [%d1 + 20], %r16;
shr.u32 %r18, %r3, 5; st.global.u32 [%d1 + 24], %r18;
mad.lo.u32 %r19, %r1, 3, %r0; st.global.u32 [%d1 + 28], %r19;
ret;
})";
  for (const Form block : {Form{8, 1, 1}, Form{33, 1, 1}, Form{100, 1, 1}, Form{16, 3, 1}, Form{8, 8, 1},
                           Form{4, 4, 1}, Form{10, 10, 1}, Form{1, 1, 1}}) {
    SCOPED_TRACE(fmt::format("{} x {}", block.x, block.y));
    const Outcome3 o = expect_the_same(text, {40, 1, 1}, block);
    EXPECT_TRUE(o.whole);
    EXPECT_EQ(o.left, 0u);
    const u32 n = block.threads();
    for (u32 k = 0; k < 40 * n && !HasFailure(); ++k) {
      const u32 t = k % n, lanes = std::min(n - t / 32 * 32, 32u), *got = &o.memory[k * kOutWords];
      EXPECT_EQ(got[0], t ? k - 1 : 7);
      EXPECT_EQ(got[1], lanes == 32 ? ~0u : (1u << lanes) - 1);
      EXPECT_EQ(got[2], t % 32 == 31 ? t + 100 : t % 32 + 1 < lanes ? t + 101 : 0);
      EXPECT_EQ(got[3], 1u);
      EXPECT_EQ(got[4], 0u);
      EXPECT_EQ(got[5], (t & 3) * ((t & 3) + 1) / 2);
      EXPECT_EQ(got[6], t / 32);
      EXPECT_EQ(got[7], t / block.x * 3 + t % block.x);
    }
    if (HasFailure()) return;
  }
}

/// Numbers that wrap around from lane to lane are no rows any more once they are extended.
TEST(WholeWarps, NumbersThatWrapAround) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  for (const char* type : {"s32", "u32"})
    for (const char* first : {"0x7ffffff0", "0xfffffff0", "0x80000000", "0"}) {
      const std::string text = fmt::format(R"(.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b32 %r<4>; .reg .b64 %d<6>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, 8, %r0; add.u32 %r1, %r1, {0};
mul.wide.{1} %d2, %r1, 4; cvt.{2}.{1} %d3, %r1;
add.s64 %d3, %d3, 12345; sub.s64 %d4, %d2, %d3;
mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r2, %r2, %r3, %r0; mul.wide.u32 %d5, %r2, 64; add.s64 %d1, %d1, %d5;
st.global.u64 [%d1], %d2; st.global.u64 [%d1 + 8], %d3; st.global.u64 [%d1 + 16], %d4; ret;
}})",
                                           first, type, std::string(type) == "s32" ? "s64" : "u64");
      expect_the_same(text, {5, 1, 1}, {64, 1, 1});
      if (HasFailure()) return;
    }
}

/// Neighbours in a ring, and what lies below 0: the lanes of one warp are no row, though those of the others
/// are. Nothing of it depends on the block, so it is computed before the code is entered.
TEST(WholeWarps, RingsComputedOnce) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text = R"(.shared .align 4 .b8 ring[2048];
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<24>; .reg .b64 %d<8>;
ld.param.u64 %d0, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d1, %r3, 64; add.s64 %d2, %d0, %d1;
mov.u32 %r4, ring; shl.b32 %r5, %r0, 2; add.u32 %r6, %r4, %r5; st.shared.u32 [%r6], %r3;
add.s32 %r7, %r0, 127; and.b32 %r8, %r7, 127; shl.b32 %r9, %r8, 2; add.u32 %r10, %r4, %r9;
add.s32 %r11, %r0, 1; and.b32 %r12, %r11, 127; shl.b32 %r13, %r12, 2; add.u32 %r14, %r4, %r13;
add.s32 %r15, %r0, 40; and.b32 %r16, %r15, 63; or.b32 %r17, %r16, 64;
add.s32 %r18, %r0, -5; mul.wide.u32 %d3, %r18, 4; cvt.u64.u32 %d4, %r18;
bar.sync 0;
ld.shared.u32 %r19, [%r10]; ld.shared.u32 %r20, [%r14];
st.global.u32 [%d2], %r19; st.global.u32 [%d2 + 4], %r20; st.global.u32 [%d2 + 8], %r17;
st.global.u64 [%d2 + 16], %d3; st.global.u64 [%d2 + 24], %d4; ret;
})";
  const Outcome3 o = expect_the_same(text, {3, 1, 1}, {128, 1, 1}, false);
  EXPECT_TRUE(o.whole);
  for (u32 k = 0; k < 3 * 128 && !HasFailure(); ++k) {
    const u32 t = k % 128, block = k - t;
    EXPECT_EQ(o.memory[k * kOutWords], block + (t + 127) % 128);
    EXPECT_EQ(o.memory[k * kOutWords + 1], block + (t + 1) % 128);
    EXPECT_EQ(o.memory[k * kOutWords + 2], (t + 40) % 64 + 64);
    EXPECT_EQ(o.memory[k * kOutWords + 7], 0u);
  }
}

/// One load from an address that was selected: lanes of a warp read two arrays, or one of them, in turns; in
/// thread `third` it is no address at all.
TEST(WholeWarps, LoadsFromTwoArrays) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  struct Choice {
    const char *which, *parts;
    int third = 9999;
  };
  constexpr const char *kTogether = "mov.u32 %r3, 0;", *kParted = "and.b32 %r3, %r0, 3;";
  for (const Choice& c : {Choice{"and.b32 %r2, %r1, 1;", kTogether}, Choice{"and.b32 %r2, %r1, 1;", kParted},
                          Choice{"shr.u32 %r2, %r0, 5;", kTogether}, Choice{"shr.u32 %r2, %r1, 6;", kParted},
                          Choice{"and.b32 %r2, %r1, 4;", kTogether, 70}}) {
    const std::string text = fmt::format(R"(.visible .entry k(.param .u64 in, .param .u64 out) {{
.reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p<4>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r1, %r1, %r2, %r0;
mul.wide.u32 %d5, %r1, 64; add.s64 %d1, %d1, %d5; st.global.u32 [%d1 + 8], %r1;
xor.b32 %r4, %r0, 13; mul.lo.u32 %r4, %r4, 14; mul.wide.u32 %d2, %r4, 4; add.s64 %d2, %d0, %d2;
{} setp.ne.u32 %p0, %r2, 0; selp.b64 %d3, %d2, %d1, %p0;
setp.eq.u32 %p1, %r1, {}; selp.b64 %d3, 64, %d3, %p1;
{} setp.ne.u32 %p2, %r3, 0; mov.u32 %r5, 0; mov.u64 %d4, 0;
@%p2 bra SKIP;
ld.global.u32 %r5, [%d3 + 8]; ld.global.u64 %d4, [%d3 + 8];
SKIP: st.global.u32 [%d1], %r5; st.global.u64 [%d1 + 16], %d4; ret;
}})",
                                         c.which, c.third, c.parts);
    expect_the_same(text, {4, 1, 1}, {64, 1, 1});
    if (HasFailure()) return;
  }
}

/// Ten registers are in use and each instruction may leave: at the `nth` the lanes' addresses lie in two
/// arrays, so the interpreter goes on there, with what all of them hold. (Places that leave share code: each
/// has its own.)
TEST(WholeWarps, LeaveWithAllRegisters) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  for (int nth : {1, 4, 9}) {
    std::string text = R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<12>; .reg .b32 %t<4>; .reg .b64 %d<8>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %t0, %tid.x; mov.u32 %t1, %ctaid.x; mov.u32 %t2, %ntid.x; mad.lo.u32 %t1, %t1, %t2, %t0;
mul.wide.u32 %d5, %t1, 64; add.s64 %d1, %d1, %d5; mul.wide.u32 %d2, %t1, 4; add.s64 %d0, %d0, %d2;
and.b32 %t2, %t0, 1; cvt.u64.u32 %d3, %t2; sub.s64 %d4, %d1, %d0; mul.lo.s64 %d4, %d4, %d3; add.s64 %d4, %d4, %d0;
st.global.u32 [%d1], %t1;
)";
    for (int k = 0; k < 10; ++k)
      text += fmt::format("ld.global.u32 %r{}, [%d{} + {}]; st.global.u32 [%d1 + {}], %r{};\n", k,
                          k == nth ? 4 : 0, k == nth ? 0 : 36 * k, 4 * (k % 4), k);
    for (int k = 0; k < 10; ++k) text += fmt::format("st.global.u32 [%d1 + {}], %r{};\n", 16 + 4 * k, k);
    expect_the_same(text + "ret;\n}\n", {3, 1, 1}, {128, 1, 1});
    if (HasFailure()) return;
  }
}

/// Lanes leave a loop after one to eight rounds: in round r those with more than r are active.
TEST(WholeWarps, ActiveLanesOfALoop) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text = R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p;
ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r1, %r1, %r2, %r0;
mul.wide.u32 %d2, %r1, 64; add.s64 %d1, %d1, %d2;
and.b32 %r3, %r0, 7; mov.u32 %r4, 0;
LOOP: activemask.b32 %r5; popc.b32 %r6, %r5; add.u32 %r4, %r4, %r6;
setp.ne.u32 %p, %r3, 0; @%p bra MEET;
ld.global.u32 %r7, [%d1]; st.global.u32 [%d1 + 4], %r7;
MEET: bar.warp.sync %r5;
sub.u32 %r3, %r3, 1; setp.ge.s32 %p, %r3, 0; @%p bra LOOP;
st.global.u32 [%d1], %r4; ret;
}
)";
  expect_the_same(text, {40, 1, 1}, {64, 1, 1});
  for (const char* back : {"interpreter", "compiled"}) {
    const Outcome3 o = run_with(back, text, {40, 1, 1}, {64, 1, 1});
    for (u32 k = 0; k < 40 * 64; ++k) {
      u32 active = 0;
      for (u32 round = 0; round <= k % 8; ++round) active += 4 * (8 - round);
      ASSERT_EQ(o.memory[k * kOutWords], active) << back << " thread " << k;
    }
  }
}

/// What the host computes when it rounds so.
u32 rounded(int mode, char op, u32 x, u32 y, u32 z) {
  volatile float a = std::bit_cast<float>(x), b = std::bit_cast<float>(y), c = std::bit_cast<float>(z);
  const int before = std::fegetround();
  std::fesetround(mode);
  volatile float result = op == '+' ? a + b : op == '*' ? a * b : std::fma(float(a), float(b), float(c));
  std::fesetround(before);
  return std::isnan(result) ? 0x7fffffff : std::bit_cast<u32>(float(result));
}

TEST(WholeWarps, RoundAsTheInstructionSays) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::pair<const char*, int> kModes[] = {
      {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}, {"rz", FE_TOWARDZERO}};
  std::string text = R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<4>; .reg .b64 %d<4>; .reg .f32 %f<5>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r0, %r1, %r2, %r0;
mul.wide.u32 %d2, %r0, 4; add.s64 %d0, %d0, %d2; mul.wide.u32 %d2, %r0, 64; add.s64 %d1, %d1, %d2;
ld.global.f32 %f0, [%d0]; ld.global.f32 %f1, [%d0 + 388]; ld.global.f32 %f2, [%d0 + 2052]; neg.f32 %f3, %f0;
)";
  u32 at = 0;
  for (const auto& [mode, host] : kModes)
    for (const char* what :
         {"add.{}.f32 %f4, %f0, %f1;", "add.{}.f32 %f4, %f0, %f3;", "mul.{}.f32 %f4, %f0, %f1;",
          "fma.{}.f32 %f4, %f0, %f1, %f2;", "fma.{}.f32 %f4, %f0, %f1, %f3;"})
      text +=
          fmt::format(fmt::runtime(what), mode) + fmt::format(" st.global.f32 [%d1 + {}], %f4;\n", 4 * at++);
  text += "st.global.f32 [%d1 + 60], %f0; ret;\n}\n";
  const auto input = [](u32 k) { return k * 2654435761u >> (k % 29); };
  for (const char* back : {"interpreter", "compiled"}) {
    const Outcome3 o = run_with(back, text, {40, 1, 1}, {64, 1, 1});
    ASSERT_EQ(o.memory.size(), 40u * 64 * kOutWords);
    for (u32 k = 0; k < 40 * 64; ++k) {
      const u32 a = input(k), b = input(k + 97), c = input(k + 513), minus = a ^ 0x80000000u;
      u32 n = 0;
      for (const auto& [mode, host] : kModes)
        for (const u32 expected :
             {rounded(host, '+', a, b, 0), rounded(host, '+', a, minus, 0), rounded(host, '*', a, b, 0),
              rounded(host, 'f', a, b, c), rounded(host, 'f', a, b, minus)})
          ASSERT_EQ(o.memory[k * kOutWords + n++], expected)
              << back << ' ' << mode << ' ' << a << ' ' << b << ' ' << c;
    }
  }
}

/// Counters have more numbers than the frame's first bytes: they are no registers. (Once, the numbers of
/// those that count asynchronous copies were taken for offsets of predicates.)
TEST(WholeWarps, CountersAreNoRegisters) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  constexpr u32 kGroups = 40, kCopies = 7;  // of a group
  std::string text = R"(.shared .align 16 .b8 tile[512];
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .pred %p<48>; .reg .b32 %r<8>; .reg .b64 %d<6>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d2, %r3, 64; add.s64 %d1, %d1, %d2; mul.wide.u32 %d3, %r0, 4; add.s64 %d0, %d0, %d3;
mov.u32 %r4, tile; mad.lo.u32 %r4, %r0, 4, %r4; mov.u32 %r7, 0; mov.u32 %r5, 4;
)";
  u32 sum = 0;
  for (u32 g = 0; g < kGroups; ++g) {
    text += fmt::format("setp.gt.u32 %p{0}, %r2, {1};\n@%p{0} bra L{0};\nadd.u32 %r7, %r7, {0};\n", g,
                        g % 2 ? 1000 : 8);
    for (u32 k = 0; k < kCopies; ++k)
      text += fmt::format("cp.async.ca.shared.global [%r4], [%d0 + {}], 4, %r5;\n", 4 * (g + k));
    text += fmt::format("L{}:\n", g);
    if (g % 2) sum += g;
  }
  text += R"(cp.async.wait_all; ld.shared.u32 %r5, [%r4];
st.global.u32 [%d1], %r5; st.global.u32 [%d1 + 4], %r7; ret;
})";
  const Outcome3 o = expect_the_same(text, {3, 1, 1}, {64, 1, 1});
  EXPECT_TRUE(o.whole);
  for (u32 t = 0; t < 3 * 64 && !HasFailure(); ++t) EXPECT_EQ(o.memory[t * kOutWords + 1], sum) << t;
}

/// The last warp, which goes on first, asks for a phase that another one ends, and goes on interpreted where
/// it is told that it has to wait: with this answer, not with the one before it that other places may need
/// when they leave the code.
TEST(WholeWarps, AnswersOfInstructionsThatLeave) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text =
      R"(.shared .align 8 .b64 first; .shared .align 8 .b64 second; .shared .align 4 .b32 word;
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<6>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d2, %r3, 64; add.s64 %d1, %d1, %d2;
mov.u32 %r4, first; mov.u32 %r5, second; mov.u32 %r6, word;
setp.ne.u32 %p0, %r0, 0; @%p0 bra READY;
mbarrier.init.shared.b64 [%r4], 1; mbarrier.init.shared.b64 [%r5], 32; mbarrier.arrive.shared.b64 _, [%r4];
READY: bar.sync 0;
mbarrier.try_wait.parity.shared.b64 %p1, [%r4], 0;
ld.global.u32 %r7, [%d0]; selp.u32 %r8, 1, 2, %p1; add.u32 %r7, %r7, %r8;
setp.lt.u32 %p2, %r0, 32; @%p2 bra DONE; setp.lt.u32 %p2, %r0, 64; @%p2 bra TELL;
AGAIN: mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0;
ld.global.u32 %r9, [%d0 + 4]; selp.u32 %r10, 1, 0, %p1;
@!%p1 bra AGAIN;
ld.shared.u32 %r11, [%r6]; st.global.u32 [%d1], %r11; st.global.u32 [%d1 + 4], %r8; st.global.u32 [%d1 + 8], %r10; ret;
TELL: mov.u32 %r11, 77; st.shared.u32 [%r6], %r11; mbarrier.arrive.shared.b64 _, [%r5];
DONE: ret;
})";
  const Outcome3 o = expect_the_same(text, {3, 1, 1}, {96, 1, 1}, false);
  EXPECT_TRUE(o.whole);
  for (u32 t = 0; t < 3 * 96 && !HasFailure(); ++t) {
    if (t % 96 < 64) continue;
    EXPECT_EQ(o.memory[t * kOutWords], 77u) << t;
    EXPECT_EQ(o.memory[t * kOutWords + 1], 1u) << t;
    EXPECT_EQ(o.memory[t * kOutWords + 2], 1u) << t;
  }
}

/// Registers that are read before anything was written are zero, for each warp again: here in lanes that take
/// none of a branch's ways, as where one lane of those that are active asks for all.
TEST(WholeWarps, RegistersThatWereNeverSet) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text = R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<16>; .reg .b64 %d<6>; .reg .pred %p<4>;
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d2, %r3, 64; add.s64 %d1, %d1, %d2; mul.wide.u32 %d3, %r3, 4; add.s64 %d0, %d0, %d3;
add.u32 %r4, %r4, 1; st.global.u32 [%d1], %r4;
selp.u32 %r5, 3, 4, %p0; st.global.u32 [%d1 + 4], %r5;
ld.global.u32 %r6, [%d0]; and.b32 %r6, %r6, 1; setp.eq.u32 %p0, %r6, 0; @%p0 bra MEET;
add.u32 %r7, %r3, 100; setp.ne.u32 %p1, %r6, 500; add.u64 %d4, %d4, %d1;
MEET: st.global.u32 [%d1 + 8], %r7; selp.u32 %r8, 5, 6, %p1; st.global.u32 [%d1 + 12], %r8;
shr.u64 %d5, %d4, 1; st.global.u64 [%d1 + 16], %d5; ret;
})";
  const Outcome3 o = expect_the_same(text, {40, 1, 1}, {96, 1, 1});
  EXPECT_TRUE(o.whole);
  EXPECT_EQ(o.left, 0u);
  for (u32 k = 0; k < 40 * 96 && !HasFailure(); ++k) {
    const bool odd = (k * 2654435761u >> (k % 29)) & 1;
    const u32* got = &o.memory[k * kOutWords];
    EXPECT_EQ(got[0], 1u);
    EXPECT_EQ(got[1], 4u);
    EXPECT_EQ(got[2], odd ? k + 100 : 0);
    EXPECT_EQ(got[3], odd ? 5u : 6u);
    EXPECT_EQ(got[4] != 0, odd);
  }
}

/// A program adds to its environment after the compiler's library was opened, whose C library looks at it,
/// too: the list of variables moves, and something else lies where it was.
TEST(WholeWarps, AnEnvironmentThatGrows) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text = ".visible .entry k(.param .u64 in, .param .u64 out) { ret; }";
  expect_the_same(text, {2, 1, 1}, {32, 1, 1});
  std::vector<std::string> others;
  for (int k = 0; k < 300; ++k) {
    setenv(fmt::format("WW_ANOTHER_{}", k).c_str(), "1", 1);
    for (size_t bytes = 64; bytes < 8192; bytes += 64) others.emplace_back(bytes, 'x');
    if (k % 50 == 0) expect_the_same(text, {2, 1, 1}, {32, 1, 1});
  }
  for (int k = 0; k < 300; ++k) unsetenv(fmt::format("WW_ANOTHER_{}", k).c_str());
}

TEST(WholeWarps, EmptyKernels) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  for (const bool listened : {false, true})
    expect_the_same(".visible .entry k(.param .u64 in, .param .u64 out) { ret; }", {2, 1, 1}, {40, 1, 1},
                    true, listened);
}

// Hears of blocks and of what goes wrong, as the listeners of `warpwright run` do.
class Blocks : public events::Listener {
 public:
  std::vector<u64> begun, ended;
  std::map<u64, u32> wrong_lanes;  ///< by block

  u32 wants() const override { return events::kFaults | events::kWrongAccesses; }
  void block_begins(int, u64 block) override {
    EXPECT_EQ(begun.size(), ended.size());
    begun.push_back(block);
  }
  void block_ends(int, u64 block) override { ended.push_back(block); }
  void wrong(int, const events::Wrong& e) override {
    EXPECT_TRUE(e.goes_on);
    EXPECT_EQ(e.block, begun.back());
    ++wrong_lanes[e.block];
  }
};

// In block 9 each thread reads behind the array, which gives 0.
TEST(WholeWarps, TellOfBlocksThatEndPlainly) {
  const char* text = R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<8>; .reg .b64 %rd<6>; .reg .pred %p<2>;
ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
mul.wide.u32 %rd3, %r4, 4; add.s64 %rd4, %rd2, %rd3;
setp.ne.u32 %p1, %r2, 9; @%p1 bra READ;
add.s64 %rd1, %rd1, 1000000;
READ:
ld.global.u32 %r6, [%rd1]; add.u32 %r7, %r4, %r6; st.global.u32 [%rd4], %r7;
ret;
})";
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  constexpr u32 kGrid = 24, kThreads = 128;
  for (const char* back : {"interpreter", "compiled"}) {
    SCOPED_TRACE(back);
    Blocks blocks;
    const Outcome3 o = run_with(back, text, {kGrid, 1, 1}, {kThreads, 1, 1}, false, Listens::Not, &blocks);
    EXPECT_EQ(o.fault, "");
    std::vector<u64> all(kGrid);
    for (u64 n = 0; n < kGrid; ++n) all[n] = n;
    EXPECT_EQ(blocks.begun, all);
    EXPECT_EQ(blocks.ended, all);
    EXPECT_EQ(blocks.wrong_lanes, (std::map<u64, u32>{{9, kThreads}}));
    for (u32 k = 0; k < kGrid * kThreads; ++k) ASSERT_EQ(o.memory[k], k) << k;  // in[0] is 0
  }
}

// All that it does has code of its own, and none of the handlers that otherwise say what processor it is for.
TEST(WholeWarps, AreCompiledWithoutAnyHandler) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  Settings settings = Lab::small(1);
  settings.back = "compiled";
  Lab lab(R"(
.shared .u32 s[64];
.visible .entry k(.param .u64 at)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [at];
  mov.u32 %r1, %tid.x;  mul.wide.u32 %rd2, %r1, 4;  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  shl.b32 %r3, %r1, 2;  mov.u32 %r4, s;  add.u32 %r5, %r4, %r3;
  st.shared.u32 [%r5], %r2;
  bar.sync 0;
  mov.u32 %r6, %ntid.x;  not.b32 %r7, %r1;  add.u32 %r6, %r6, %r7;
  shl.b32 %r6, %r6, 2;  add.u32 %r6, %r4, %r6;
  ld.shared.u32 %r2, [%r6];
  st.global.u32 [%rd3], %r2;
  ret;
}
)",
          settings);
  const u64 at = lab.words(64);
  for (u32 k = 0; k < 64; ++k) lab.host(at)[k] = k;
  auto ran = lab.launch(1, 64, {at});
  ASSERT_TRUE(ran && ran->faults.empty());
  EXPECT_EQ(ran->ran, Ran::Compiled);
  for (u32 k = 0; k < 64; ++k) EXPECT_EQ(lab.host(at)[k], 63 - k);
}

}  // namespace
}  // namespace ww::engine
