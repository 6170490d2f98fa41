// Loads of whole-warp code whose lanes each go along a row of their own: what was read early must not be seen
// where it has been written since.
#include <gtest/gtest.h>

#include "../long.h"
#include "engine_whole_kernels.h"

namespace ww::engine {
namespace {

/// Rows of the input: where that of thread `%r3` begins, into %d0.
struct Rows {
  const char *name, *code;
  unsigned align = 8;  ///< bytes
};
// 64 threads; a register that was loaded (and is 0) takes what is known of the lanes away.
constexpr const char* kHide = "ld.global.u32 %r5, [%d4]; and.b32 %r5, %r5, 0; add.u32 %r6, %r3, %r5;";
constexpr Rows kRows[] = {
    {"128 words", "mul.wide.u32 %d2, %r3, 512; add.s64 %d0, %d4, %d2;"},
    {"125 words, from an odd one", "mul.wide.u32 %d2, %r3, 500; add.s64 %d8, %d4, %d2; add.s64 %d0, %d8, 20;",
     4},
    {"17 words: they lie in each other", "mul.wide.u32 %d2, %r3, 68; add.s64 %d0, %d4, %d2;", 4},
    {"backwards", "mul.wide.u32 %d2, %r3, 512; sub.s64 %d8, %d4, %d2; add.s64 %d0, %d8, 32256;"},
    {"128 words, hidden", "HIDE mul.wide.u32 %d2, %r6, 512; add.s64 %d0, %d4, %d2;"},
    {"126 words, hidden", "HIDE mul.wide.u32 %d2, %r6, 504; add.s64 %d8, %d4, %d2; add.s64 %d0, %d8, 8;"},
    {"in another order",
     "mul.lo.u32 %r6, %r3, 29; and.b32 %r6, %r6, 63; mul.wide.u32 %d2, %r6, 512; add.s64 %d0, %d4, %d2;"},
};

/// What else happens in each round. The lane is at %d0 in its row, at %d3 in another one of its warp, at %d5
/// in one of the other warp.
struct Beside {
  const char *name, *code;
};
constexpr Beside kBeside[] = {
    {"nothing", ""},
    {"a sum in memory", "ld.global.u32 %r7, [%d1]; add.u32 %r7, %r7, %r8; st.global.u32 [%d1], %r7;"},
    {"a store to the next word", "add.u32 %r7, %r8, %r9; st.global.u32 [%d0 + NEXT], %r7;"},
    {"now and then a store to the next word",
     "and.b32 %r7, %r9, 7; setp.eq.u32 %p2, %r7, 5; xor.b32 %r7, %r8, 77; @%p2 st.global.u32 [%d0 + NEXT], "
     "%r7;"},
    {"some lanes store to the next word",
     "xor.b32 %r7, %r0, %r9; and.b32 %r7, %r7, 7; setp.eq.u32 %p2, %r7, 3; @%p2 st.global.u32 [%d0 + NEXT], "
     "%r8;"},
    {"lanes part and store far ahead",
     "and.b32 %r7, %r8, 15; setp.ne.u32 %p2, %r7, 3; @%p2 bra ON; add.u32 %r7, %r8, 5; st.global.u32 [%d0 + "
     "FAR], %r7; ON:"},
    {"a store to the neighbour's row",
     "and.b32 %r7, %r9, 15; setp.eq.u32 %p2, %r7, 4; @%p2 st.global.u32 [%d3 + NEXT], %r8;"},
    {"a store near the end of the line", "st.global.u32 [%d0 + FAR], %r8;"},
    {"additions to the next word", "red.global.add.u32 [%d0 + NEXT], %r8;"},
    {"additions now and then",
     "and.b32 %r7, %r9, 7; setp.ne.u32 %p2, %r7, 5; @%p2 bra ON; red.global.add.u32 [%d0 + NEXT], %r8; ON:"},
    {"a barrier, and another warp's store",
     "and.b32 %r7, %r9, 7; setp.ne.u32 %p2, %r7, 5; @%p2 bra ON; bar.sync 0; st.global.u32 [%d5 + NEXT], "
     "%r8; bar.sync 0; ON:"},
    {"stores to another warp's row", "st.global.u32 [%d5 + NEXT], %r8;"},
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// Each thread goes along its row, `rounds` rounds of `unrolled` elements. What happens beside does once so
/// many of these are read.
std::string kernel(const Rows& rows, const Beside& beside, unsigned bytes, unsigned unrolled, unsigned read,
                   const std::string& rounds) {
  std::string text = R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<24>; .reg .b64 %d<12>; .reg .pred %p<4>;
ld.param.u64 %d4, [in]; ld.param.u64 %d9, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.y; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d10, %r3, 64; add.s64 %d1, %d9, %d10;
ROWS
sub.s64 %d7, %d0, %d4; xor.b64 %d3, %d7, 512; add.s64 %d3, %d3, %d4; xor.b64 %d5, %d7, 16384; add.s64 %d5, %d5, %d4;
mov.u32 %r9, 0; mov.u32 %r10, 1; mov.u32 %r8, 3;
ROUNDS
NEXT_ROUND:
LOADS
add.s64 %d0, %d0, STEP; add.s64 %d3, %d3, STEP; add.s64 %d5, %d5, STEP;
add.u32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, %r11; @%p0 bra NEXT_ROUND;
st.global.u32 [%d1 + 4], %r10; ret;
})";
  std::string loads;
  for (unsigned n = 0; n < unrolled; ++n) {
    loads += bytes == 4
                 ? fmt::format("ld.global.u32 %r8, [%d0 + {}]; mad.lo.u32 %r10, %r10, 31, %r8;\n", 4 * n)
                 : fmt::format(
                       "ld.global.u64 %d6, [%d0 + {}]; mov.b64 {{%r8, %r12}}, %d6; "
                       "mad.lo.u32 %r10, %r10, 31, %r8; mad.lo.u32 %r10, %r10, 31, %r12;\n",
                       8 * n);
    if (n + 1 == read) loads += std::string(beside.code) + '\n';
  }
  text = replaced(text, "LOADS", loads);
  text = replaced(text, "ROUNDS", rounds);
  text = replaced(text, "ROWS", rows.code);
  text = replaced(text, "HIDE", kHide);
  const unsigned step = bytes * unrolled;
  text = replaced(text, "STEP", std::to_string(step));
  text = replaced(text, "+ NEXT", "+ " + std::to_string(read * bytes));
  return replaced(text, "+ FAR", "+ " + std::to_string(read * bytes + 28));
}

class WholeWarpsAlongRows : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (!can_compile(*lane_code(), why)) GTEST_SKIP() << why;
    setenv("WARPWRIGHT_CODE_CACHE", "off", 1);
  }
};

TEST_F(WholeWarpsAlongRows, AreTheSame) {
  size_t number = 0;
  for (const Rows& rows : kRows)
    for (const Beside& beside : kBeside)
      for (const unsigned bytes : {4u, 8u})
        for (const unsigned unrolled : {1u, 4u, 8u}) {
          if (!is_tried(number++, 19)) continue;
          if (bytes > rows.align) continue;
          SCOPED_TRACE(fmt::format("{}, {}, {} bytes, {} at once", rows.name, beside.name, bytes, unrolled));
          const std::string rounds = fmt::format("mov.u32 %r11, {};", 160 / (unrolled * bytes));
          const std::string text =
              kernel(rows, beside, bytes, unrolled, number % 2 ? unrolled : (unrolled + 1) / 2, rounds);
          for (const Form block : {Form{64, 1, 1}, Form{16, 4, 1}, Form{60, 1, 1}})
            EXPECT_EQ(expect_the_same(text, {1, 1, 1}, block).fault, "");
          if (HasFailure()) return;
        }
}

/// With the vectors of other processors, as far as this one has them.
TEST_F(WholeWarpsAlongRows, ByEachLaneCode) {
  for (const LaneCode* lanes : all_lane_code()) {
    std::string why;
    if (!can_compile(*lanes, why)) continue;
    SCOPED_TRACE(lanes->name);
    for (const size_t rows : {0, 1, 4, 6})
      for (const unsigned bytes : {4u, 8u}) {
        if (bytes > kRows[rows].align) continue;
        const std::string text = kernel(kRows[rows], kBeside[1], bytes, 1, 1, "mov.u32 %r11, 20;");
        const auto run = [&](const char* back) {
          return run_with(back, text, {1, 1, 1}, {64, 1, 1}, true, Listens::Not, nullptr, 0, lanes->name);
        };
        const Outcome3 compiled = run("compiled");
        EXPECT_TRUE(compiled.whole);
        EXPECT_EQ(compiled.fault, "");
        expect_equal(run("interpreter"), compiled, text);
      }
  }
}

/// Rows of the last block end where the allocation does.
TEST_F(WholeWarpsAlongRows, UpToTheEnd) {
  for (const unsigned unrolled : {1u, 2u, 4u}) {
    const std::string rounds = fmt::format("mov.u32 %r11, {};", 128 / unrolled);
    const Outcome3 o =
        expect_the_same(kernel(kRows[0], kBeside[0], 4, unrolled, 1, rounds), {1, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(o.whole);
    EXPECT_EQ(o.left, 0u);
    EXPECT_EQ(o.fault, "");
  }
  const std::string beyond = kernel(kRows[0], kBeside[0], 4, 1, 1, "mov.u32 %r11, 129;");
  EXPECT_NE(expect_the_same(beyond, {1, 1, 1}, {64, 1, 1}).fault, "");
}

/// Lanes leave the loop one by one.
TEST_F(WholeWarpsAlongRows, OfDifferentLength) {
  for (const char* rounds : {"add.u32 %r11, %r3, 9;", "and.b32 %r11, %r3, 31; add.u32 %r11, %r11, 1;",
                             "shr.u32 %r11, %r3, 5; mad.lo.u32 %r11, %r11, 7, 11;"})
    for (const size_t beside : {0, 1, 4}) {
      const std::string text = kernel(kRows[4 * (beside % 2)], kBeside[beside], 4, 1, 1, rounds);
      expect_the_same(text, {1, 1, 1}, {64, 1, 1});
    }
}

/// The first lane begins its row anew, and the others begin other ones.
TEST_F(WholeWarpsAlongRows, OtherRowsThanBefore) {
  // By a register that hides what is known of the lanes, and (blocks of 16 in a row) by that of each
  // half-warp.
  for (const char* row :
       {"mad.lo.u32 %r4, %r9, 28, 1; mul.lo.u32 %r4, %r4, %r3; and.b32 %r4, %r4, 63; add.u32 %r4, %r4, %r5;",
        "mul.lo.u32 %r13, %r2, %r9; shl.b32 %r14, %r13, 2; add.u32 %r4, %r14, %r0;"}) {
    const std::string text = replaced(R"(.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b32 %r<24>; .reg .b64 %d<12>; .reg .pred %p<4>;
ld.param.u64 %d0, [in]; ld.param.u64 %d9, [out]; ld.global.u32 %r5, [%d0]; and.b32 %r5, %r5, 0;
mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.y; mad.lo.u32 %r3, %r1, %r2, %r0;
mul.wide.u32 %d10, %r3, 64; add.s64 %d1, %d9, %d10;
mov.u32 %r9, 0; mov.u32 %r10, 1;
AGAIN: ROW
mul.wide.u32 %d3, %r4, 512; add.s64 %d2, %d0, %d3; mov.u32 %r7, 0;
NEXT: ld.global.u32 %r8, [%d2]; mad.lo.u32 %r10, %r10, 31, %r8; add.s64 %d2, %d2, 4;
add.u32 %r7, %r7, 1; setp.lt.u32 %p0, %r7, 7; @%p0 bra NEXT;
add.u32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, 4; @%p0 bra AGAIN;
st.global.u32 [%d1], %r10; ret;
})",
                                      "ROW", row);
    const Outcome3 o = expect_the_same(text, {1, 1, 1}, {16, 4, 1});
    EXPECT_TRUE(o.whole);
    EXPECT_EQ(o.fault, "");
    EXPECT_EQ(o.left, 0u);
  }
}

/// Listeners hear of each access in its place.
TEST_F(WholeWarpsAlongRows, AreHeardOf) {
  for (const size_t beside : {1, 2, 5, 8})
    expect_the_same(kernel(kRows[beside % 5], kBeside[beside], 4, 1, 1, "mov.u32 %r11, 40;"), {1, 1, 1},
                    {64, 1, 1}, true, true);
}

/// Nothing is used in a turn that was read in one before: the other warp has had its turn in between.
TEST_F(WholeWarpsAlongRows, TurnsEnd) {
  const std::string text = kernel(kRows[0], kBeside[11], 4, 1, 1, "mov.u32 %r11, 100;");
  for (const u32 budget : {2u, 5u, 17u}) expect_the_same(text, {1, 1, 1}, {64, 1, 1}, true, false, budget);
}

}  // namespace
}  // namespace ww::engine
