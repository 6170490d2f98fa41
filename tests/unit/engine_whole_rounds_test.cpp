// Warps that wait for each other again and again, which compiled code takes from barrier to barrier by
// itself.
#include <gtest/gtest.h>

#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

/// 150 rounds, more than the code makes before it looks whether to stop. In each one every warp makes of a
/// word that all share another (so that it matters which goes first), and reads what a thread of the next
/// warp has written in the round before. `before` is done before the barrier, by %r4 in rounds.
std::string rounds(const std::string& before, const std::string& barrier = "bar.sync 0;") {
  return R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<20>; .reg .b64 %d<6>; .reg .pred %p<6>;
.shared .align 4 .b8 words[4096]; .shared .align 4 .b8 all[4];
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d2, %r3, 64; add.s64 %d1, %d1, %d2; mul.wide.u32 %d3, %r3, 4; add.s64 %d0, %d0, %d3;
ld.global.u32 %r8, [%d0]; shl.b32 %r5, %r0, 2; mov.u32 %r6, words; add.u32 %r6, %r6, %r5;
st.shared.u32 [%r6], %r8; st.shared.u32 [all], %r2;
add.u32 %r7, %r0, 37; rem.u32 %r7, %r7, %r2; shl.b32 %r7, %r7, 2; mov.u32 %r9, words; add.u32 %r7, %r7, %r9;
shr.u32 %r10, %r0, 5; mov.u32 %r4, 0; mov.u32 %r11, 0; bar.sync 0;
NEXT: ld.shared.u32 %r12, [%r7]; ld.shared.u32 %r13, [all]; mad.lo.u32 %r13, %r13, 5, %r10;
st.shared.u32 [all], %r13; mad.lo.u32 %r11, %r11, 31, %r12; mad.lo.u32 %r11, %r11, 7, %r13;
)" + before +
         barrier + R"(
st.shared.u32 [%r6], %r11;
)" + barrier +
         R"(
add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 150; @%p0 bra NEXT;
END: st.global.u32 [%d1], %r11; st.global.u32 [%d1 + 4], %r4; ret;
})";
}

TEST(WholeWarpsRounds, OneBehindAnother) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  for (const u32 threads : {16u, 32u, 64u, 100u, 256u})
    for (const bool listened : {false, true}) {
      const Outcome3 o = expect_the_same(rounds(""), {3, 1, 1}, {threads, 1, 1}, true, listened);
      EXPECT_TRUE(o.whole);
      EXPECT_EQ(o.left, 0u);
    }
}

TEST(WholeWarpsRounds, SomeGoAnotherWay) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  const char* const ways[] = {
      // One of the warps ends early: the first, one in between, or the last.
      "setp.eq.u32 %p1, %r4, 70; setp.eq.and.u32 %p1, %r10, 0, %p1; @%p1 bra END;\n",
      "setp.eq.u32 %p1, %r4, 5; setp.eq.and.u32 %p1, %r10, 2, %p1; @%p1 bra END;\n",
      "setp.eq.u32 %p1, %r4, 66; setp.eq.and.u32 %p1, %r10, 3, %p1; @%p1 bra END;\n",
      // All of them end in the same round, which is not the last.
      "setp.eq.u32 %p1, %r4, 65; @%p1 bra END;\n",
      // Some wait elsewhere.
      "rem.u32 %r14, %r4, 7; setp.ne.u32 %p1, %r14, %r10; @%p1 bra HERE; add.u32 %r11, %r11, 1; bar.sync 0; "
      "bra THERE;\nHERE: bar.sync 0;\nTHERE:\n",
      // Some lanes do.
      "and.b32 %r14, %r0, 3; rem.u32 %r15, %r4, 40; setp.ne.u32 %p1, %r14, %r15; @%p1 bra HERE; "
      "add.u32 %r11, %r11, 1; bar.sync 0; bra THERE;\nHERE: bar.sync 0;\nTHERE:\n",
      // Some read outside of the array, in a late round.
      "setp.eq.u32 %p1, %r4, 90; setp.eq.and.u32 %p1, %r10, 2, %p1; @!%p1 bra IN; "
      "ld.global.u32 %r14, [%d0 + 1000000000];\nadd.u32 %r11, %r11, %r14; IN:\n",
      // Lanes part and meet again before they wait.
      "and.b32 %r14, %r11, 4; setp.eq.u32 %p1, %r14, 0; @%p1 bra IN; mul.lo.u32 %r11, %r11, %r12; IN:\n",
  };
  for (const char* way : ways)
    for (const u32 threads : {32u, 128u, 112u})
      expect_the_same(rounds(way), {2, 1, 1}, {threads, 1, 1}, true, threads != 128);
}

/// Code that calls handlers: the warps of each block begin as those of interpreted blocks do.
TEST(WholeWarpsRounds, CallHandlers) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  const std::string sums = "atom.shared.add.u32 %r14, [all], %r10; mad.lo.u32 %r11, %r11, 3, %r14;\n";
  const std::string some = "and.b32 %r15, %r11, 3; setp.ne.u32 %p1, %r15, 0; @%p1 bra IN;\n" + sums + "IN:\n";
  const std::string ends =
      sums + "setp.eq.u32 %p1, %r4, 20; setp.eq.and.u32 %p1, %r10, 1, %p1; @%p1 bra END;\n";
  const std::string fails = sums +
                            "setp.eq.u32 %p1, %r4, 70; setp.eq.and.u32 %p1, %r10, 3, %p1; mov.u32 %r16, 1; "
                            "selp.u32 %r16, 4000000, 0, %p1; atom.shared.add.u32 %r15, [%r16], 1;\n";
  for (const std::string& way : {sums, some, ends, fails})
    for (const bool barriers : {true, false})
      for (const u32 threads : {32u, 128u, 112u})
        expect_the_same(rounds(way, barriers ? "bar.sync 0;" : ""), {5, 1, 1}, {threads, 1, 1}, true,
                        threads == 112);
}

/// The same with memory of each thread's own.
TEST(WholeWarpsRounds, LocalMemory) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  std::string text = rounds(
      "and.b32 %r14, %r11, 28; add.u32 %r14, %r14, %r16; ld.local.u32 %r15, [%r14]; add.u32 %r15, %r15, "
      "%r11; "
      "st.local.u32 [%r14], %r15; add.u32 %r11, %r11, %r15;\n");
  text.insert(text.find(".shared"), ".local .align 4 .b8 own[32];\n");
  std::string zeros = "mov.u32 %r16, own; mov.u32 %r15, 0;";
  for (int at = 0; at < 32; at += 4) zeros += fmt::format("st.local.u32 [%r16 + {}], %r15;", at);
  text.insert(text.find("NEXT:"), zeros);
  for (const u32 threads : {32u, 128u, 112u})
    expect_the_same(text, {5, 1, 1}, {threads, 1, 1}, true, threads == 112);
}

TEST(WholeWarpsRounds, BarriersByNumber) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  for (const char* barrier :
       {"bar.sync 3;", "mov.u32 %r16, %ntid.x; bar.sync 2, %r16;", "and.b32 %r16, %r4, 7; bar.sync %r16;",
        "setp.gt.u32 %p2, %r12, 99; barrier.red.popc.u32 %r17, 1, %p2; add.u32 %r11, %r11, %r17;"})
    for (const u32 threads : {32u, 128u})
      expect_the_same(rounds("", barrier), {2, 1, 1}, {threads, 1, 1}, true, true);
}

}  // namespace
}  // namespace ww::engine
