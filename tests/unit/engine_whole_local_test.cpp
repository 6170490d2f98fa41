// Whole-warp code with generic addresses of local memory, as functions have them that take pointers to
// arrays, and everything that nvcc makes with -G.
#include <cstdlib>
#include <set>
#include <string>

#include "../long.h"
#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

/// `body` finds the array of 64 bytes or more as %a, of generic addresses; %d0 and %d1 are the thread's word
/// and its results, %r3 its number.
std::string on_an_array(const std::string& body, u32 bytes = 64) {
  return R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<24>; .reg .b64 %d<8>; .reg .b64 %a, %own; .reg .pred %p<6>; .local .align 16 .b8 array[)" +
         std::to_string(bytes) + R"(];
ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d2, %r3, 64; add.s64 %d1, %d1, %d2; mul.wide.u32 %d3, %r3, 4; add.s64 %d0, %d0, %d3;
mov.u64 %own, array; cvta.local.u64 %a, %own; ld.global.u32 %r4, [%d0];
)" + body +
         "\nret;\n}";
}

/// A few lines of a cache, and so many that lanes are kept apart in it (local_stride_of).
constexpr u32 kSizes[] = {64, 1024};

u32 word_of(u32 thread) { return thread * 2654435761u >> (thread % 29); }  // run_with() fills the input so

TEST(WholeWarpsLocal, WalkThroughAnArrayByAPointer) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string body = R"(mov.u64 %d4, %a; mov.u32 %r5, 0;
FILL: add.u32 %r6, %r4, %r5; st.u32 [%d4], %r6; add.s64 %d4, %d4, 4; add.u32 %r5, %r5, 1;
setp.lt.u32 %p0, %r5, 16; @%p0 bra FILL;
and.b32 %r7, %r3, 15; mul.wide.u32 %d3, %r7, 4; add.s64 %d5, %a, %d3; ld.u32 %r8, [%d5]; st.global.u32 [%d1], %r8;
setp.gt.u32 %p1, %r7, 7; @%p1 bra END;
add.s64 %d6, %a, 8; setp.eq.u32 %p2, %r7, 3; selp.b64 %d7, %d6, %a, %p2; ld.v2.u32 {%r9, %r10}, [%d7];
st.global.u32 [%d1 + 4], %r9; st.global.u32 [%d1 + 8], %r10;
ld.local.u32 %r11, [array + 60]; st.global.u32 [%d1 + 12], %r11;
END:)";
  size_t number = 0;
  for (const u32 bytes : kSizes)
    for (const bool listened : {false, true})
      for (const Form block : {Form{128, 1, 1}, Form{48, 1, 1}}) {
        if (!is_tried(number++, 3)) continue;
        SCOPED_TRACE(std::to_string(bytes) + " bytes, " + std::to_string(block.x) + " threads");
        const Outcome3 o = expect_the_same(on_an_array(body, bytes), {40, 1, 1}, block, true, listened);
        EXPECT_TRUE(o.whole);
        EXPECT_EQ(o.left, 0u);
        for (u32 k = 0; k < 40 * block.x && !HasFailure(); ++k) {
          const u32 *got = &o.memory[k * kOutWords], at = k % 16, first = at == 3 ? 2 : 0;
          EXPECT_EQ(got[0], word_of(k) + at);
          if (at > 7) continue;
          EXPECT_EQ(got[1], word_of(k) + first);
          EXPECT_EQ(got[2], word_of(k) + first + 1);
          EXPECT_EQ(got[3], word_of(k) + 15);
        }
      }
}

/// Few lanes of a warp, which take accesses one by one: at places of their own, by addresses of both kinds.
TEST(WholeWarpsLocal, FewLanes) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string body = R"(mov.u32 %r5, 0;
FILL: mul.wide.u32 %d4, %r5, 4; add.s64 %d4, %own, %d4; st.local.u32 [%d4], %r5; add.u32 %r5, %r5, 1;
setp.lt.u32 %p0, %r5, 16; @%p0 bra FILL;
and.b32 %r7, %r3, 15; setp.gt.u32 %p1, %r7, 2; @%p1 bra END;
mov.u32 %r5, 0; mov.u32 %r8, 0; add.u32 %r13, %r7, 4;
GO: add.u32 %r9, %r4, %r5; mul.lo.u32 %r10, %r9, 5; and.b32 %r9, %r9, 15; and.b32 %r10, %r10, 15;
mul.wide.u32 %d4, %r9, 4; add.s64 %d5, %own, %d4; ld.local.u32 %r11, [%d5]; add.u32 %r8, %r8, %r11;
mul.wide.u32 %d4, %r10, 4; add.s64 %d6, %a, %d4; add.u32 %r12, %r11, %r3; st.u32 [%d6], %r12;
add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r13; @%p2 bra GO;
st.global.u32 [%d1], %r8;
END:)";
  for (const u32 bytes : kSizes)
    for (const Form block : {Form{128, 1, 1}, Form{48, 1, 1}}) {
      SCOPED_TRACE(std::to_string(bytes) + " bytes, " + std::to_string(block.x) + " threads");
      const Outcome3 o = expect_the_same(on_an_array(body, bytes), {40, 1, 1}, block);
      EXPECT_TRUE(o.whole);
      for (u32 k = 0; k < 40 * block.x && !HasFailure(); ++k) {
        if (k % 16 > 2) continue;
        u32 array[16], sum = 0;
        for (u32 n = 0; n < 16; ++n) array[n] = n;
        for (u32 n = 0; n < k % 16 + 4; ++n) {
          const u32 from = word_of(k) + n, v = array[from % 16];
          sum += v;
          array[from * 5 % 16] = v + k;
        }
        EXPECT_EQ(o.memory[k * kOutWords], sum) << k;
      }
    }
}

/// One of few lanes goes beyond its local memory: what lies between it and the next lane's is nobody's.
TEST(WholeWarpsLocal, FewLanesBehindTheEnd) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  for (const u32 bytes : kSizes)
    for (const u32 element : {bytes / 4, 1000000u})
      for (const char* store :
           {"st.local.u32 [%d5], %r3;", "add.s64 %d5, %d5, %a; sub.s64 %d5, %d5, %own; st.u32 [%d5], %r3;"}) {
        SCOPED_TRACE(std::to_string(element) + " of " + std::to_string(bytes) + " bytes: " + store);
        const std::string text = on_an_array(
            std::string(R"(and.b32 %r7, %r3, 15; setp.gt.u32 %p1, %r7, 2; @%p1 bra END;
setp.eq.u32 %p2, %r3, 34; selp.u32 %r9, )") +
                std::to_string(element) + ", %r7, %p2; mul.wide.u32 %d4, %r9, 4; add.s64 %d5, %own, %d4;\n" +
                store + "\nEND:",
            bytes);
        const Outcome3 a = run_with("interpreter", text, {1, 1, 1}, {64, 1, 1}),
                       b = run_with("compiled", text, {1, 1, 1}, {64, 1, 1});
        EXPECT_TRUE(b.whole);
        EXPECT_EQ(a.fault, b.fault);
        EXPECT_NE(a.fault, "");
      }
}

/// The same place of all lanes would be 32 lines in one set, which have 8 or 12 ways, if 4096 bytes lay
/// between them.
TEST(LocalStride, LanesLieInDifferentSetsOfACache) {
  for (u32 bytes = 0; bytes < 1024; bytes += 4) EXPECT_EQ(local_stride_of(bytes), bytes);
  for (u32 bytes = 1024; bytes < 70000; bytes += 4) {
    const u32 stride = local_stride_of(bytes);
    ASSERT_GE(stride, bytes);
    ASSERT_LT(stride, bytes + 128);
    std::set<u32> sets;
    for (u32 lane = 0; lane < 32; ++lane) sets.insert(lane * stride / 64 % 64);
    ASSERT_EQ(sets.size(), 32u) << bytes;
  }
}

TEST(WholeWarpsLocal, AFunctionIsGivenAPointer) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text =
      R"(.func (.param .b32 back) add_up(.param .b64 array, .param .b32 count) {
.reg .b64 %d<3>; .reg .b32 %r<5>; .reg .pred %p;
ld.param.u64 %d0, [array]; ld.param.u32 %r0, [count]; mov.u32 %r1, 0;
NEXT: ld.u32 %r2, [%d0]; add.u32 %r1, %r1, %r2; add.s64 %d0, %d0, 4; sub.u32 %r0, %r0, 1;
setp.ne.u32 %p, %r0, 0; @%p bra NEXT;
st.param.b32 [back], %r1; ret;
}
)" + on_an_array(
          R"(st.u32 [%a], %r4; st.u32 [%a + 4], %r3; st.u32 [%a + 8], 5; and.b32 %r5, %r3, 1; add.u32 %r5, %r5, 2;
{ .param .b64 p0; .param .b32 p1; .param .b32 b0; st.param.b64 [p0], %a; st.param.b32 [p1], %r5;
call (b0), add_up, (p0, p1); ld.param.b32 %r6, [b0]; }
st.global.u32 [%d1], %r6;)");
  const Outcome3 o = expect_the_same(text, {40, 1, 1}, {64, 1, 1});
  EXPECT_TRUE(o.whole);
  EXPECT_EQ(o.parts, 2u);
  EXPECT_EQ(o.left, 0u);
  for (u32 k = 0; k < 40 * 64; ++k) EXPECT_EQ(o.memory[k * kOutWords], word_of(k) + k + (k % 2 ? 5 : 0)) << k;
}

/// What looks like an address of local memory may lead elsewhere.
TEST(WholeWarpsLocal, OneOfTwoSpaces) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text = on_an_array(R"(st.u32 [%a], 7; and.b32 %r5, %r3, 64; setp.eq.u32 %p0, %r5, 0;
selp.b64 %d4, %a, %d0, %p0; ld.u32 %r6, [%d4]; st.global.u32 [%d1], %r6;
sub.s64 %d5, %d0, %a; add.s64 %d6, %a, %d5; ld.u32 %r7, [%d6]; st.global.u32 [%d1 + 4], %r7;)");
  const Outcome3 o = expect_the_same(text, {40, 1, 1}, {128, 1, 1});
  for (u32 k = 0; k < 40 * 128; ++k) {
    EXPECT_EQ(o.memory[k * kOutWords], k & 64 ? word_of(k) : 7) << k;
    EXPECT_EQ(o.memory[k * kOutWords + 1], word_of(k)) << k;
  }
}

TEST(WholeWarpsLocal, BehindTheEnd) {
  std::string why;
  if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
  setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  const std::string text = on_an_array(
      "shr.u32 %r5, %r3, 4; mul.wide.u32 %d3, %r5, 4; add.s64 %d4, %a, %d3;\n"
      "st.u32 [%d4], 1;");
  const Outcome3 a = run_with("interpreter", text, {1, 1, 1}, {512, 1, 1}),
                 b = run_with("compiled", text, {1, 1, 1}, {512, 1, 1});
  EXPECT_NE(a.fault, "");
  EXPECT_EQ(a.fault, b.fault);
}

}  // namespace
}  // namespace ww::engine
