// A shared or local array that runs into its neighbour.
#include "checks/arrays.h"
#include "checks_lab.h"

namespace ww::checks::arrays_test {

namespace {

using Lab = CheckLab<Arrays>;
using engine::says;

/// a has 32 words, b behind it too; %r3 is a + 4 tid.x.
std::string said(const std::string& body, u32 block = 32) {
  Lab lab(R"(
.visible .entry k(.param .u64 p) {
  .reg .u64 %rd<9>; .reg .u32 %r<20>; .reg .pred %p<9>;
  .shared .align 4 .b8 a[128];
  .shared .align 4 .b8 b[128];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r4, a;
  add.u32 %r3, %r4, %r2;
  st.shared.u32 [b], 0;
)" + body +
          "\n  ret;\n}\n");
  auto r = lab.run(1, block, {0});
  return lab.said() + (r.faults.empty() ? "" : r.faults[0].message);
}

TEST(CheckArrays, RunsIntoItsNeighbour) {
  EXPECT_TRUE(says(said("st.shared.u32 [%r3+4], 1;"),
                   {"an access to a leaves the array and lands in b", "writes 4 bytes", "thread 31",
                    "a has 128 bytes; this is 0 bytes past its end"}));
  EXPECT_EQ(said("st.shared.u32 [%r3], 1; ld.shared.u32 %r5, [b+124];"), "");
  EXPECT_TRUE(says(said("ld.shared.u32 %r5, [b-4];"), {"an access to b", "lands in a", "4 bytes before"}));
  // Generic addresses, and elements that reach across the end.
  EXPECT_TRUE(says(said(R"(
    mov.u64 %rd1, a; cvta.shared.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd2, %rd3;
    ld.u32 %r5, [%rd4+16];)"),
                   {"an access to a", "lands in b", "thread 28"}));
}

TEST(CheckArrays, OnlyWhereTheArrayIsCertain) {
  // A pointer that may be to either.
  EXPECT_EQ(said(R"(
    mov.u32 %r6, b; setp.lt.u32 %p1, %r1, 16; selp.u32 %r7, %r4, %r6, %p1;
    st.shared.u32 [%r7+128], 1;)",
                 16),
            "");
  // A distance between two.
  EXPECT_EQ(said("mov.u32 %r6, b; sub.u32 %r7, %r6, %r4; add.u32 %r8, %r4, %r7; st.shared.u32 [%r8], 1;"),
            "");
}

TEST(CheckArrays, ConstantVariables) {
  // Three words each; %r3 is 4 tid.x. Nothing lies behind `third`.
  const auto said = [](const std::string& body) {
    Lab lab(R"(
.const .align 4 .b8 first[12];
.const .align 4 .b8 second[12];
.const .align 4 .b8 third[12];
.visible .entry k(.param .u64 p) {
  .reg .u64 %rd<9>; .reg .u32 %r<9>;
  mov.u32 %r1, %tid.x;
  shl.b32 %r3, %r1, 2;
  mul.wide.u32 %rd3, %r1, 4;
)" + body + "\n  ret;\n}\n");
    auto r = lab.run(1, 4, {0});
    return lab.said() + (r.faults.empty() ? "" : r.faults[0].message);
  };
  EXPECT_TRUE(says(said("mov.u64 %rd1, first; add.u64 %rd1, %rd1, %rd3; ld.const.u32 %r4, [%rd1];"),
                   {"an access to first leaves the array and lands in second", "reads 4 bytes", "thread 3",
                    "first has 12 bytes; this is 0 bytes past its end"}));
  EXPECT_TRUE(says(said("mov.u64 %rd1, second; sub.u64 %rd1, %rd1, %rd3; ld.const.u32 %r4, [%rd1];"),
                   {"an access to second", "lands in first", "4 bytes before its beginning", "thread 1"}));
  // Through a generic address.
  EXPECT_TRUE(says(said(R"(
    mov.u64 %rd1, first; cvta.const.u64 %rd1, %rd1; add.u64 %rd1, %rd1, %rd3; ld.u32 %r4, [%rd1];)"),
                   {"an access to first", "lands in second", "thread 3"}));
  EXPECT_EQ(said("mov.u64 %rd1, first; ld.const.u32 %r4, [%rd1+8]; ld.const.u32 %r5, [third];"), "");
  // Past all of them: the check of memory tells that.
  EXPECT_EQ(said("mov.u64 %rd1, third; add.u64 %rd1, %rd1, %rd3; ld.const.u32 %r4, [%rd1];").find("array:"),
            std::string::npos);
}

/// Two allocations of 64 words, p and q; %rd3 is p + 4 tid.x, %rd4 the number q - p.
std::string said_of_allocations(const std::string& body) {
  Lab lab(R"(
.visible .entry k(.param .u64 p, .param .u64 q, .param .u64 apart) {
  .reg .u64 %rd<9>; .reg .u32 %r<9>; .reg .pred %p;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.param.u64 %rd4, [apart];
  mov.u32 %r1, %tid.x;
  cvta.to.global.u64 %rd1, %rd1;
  mad.wide.u32 %rd3, %r1, 4, %rd1;
)" + body +
          "\n  ret;\n}\n");
  const u64 p = lab.words(64), q = lab.words(64);
  const auto r = lab.run(1, 32, {p, q, q - p});
  return lab.said() + (r.faults.empty() ? "" : r.faults[0].message);
}

TEST(CheckArrays, OneAllocationRunsIntoAnother) {
  // A number leads from the first to the second: from lane 0 on, or its last lanes.
  EXPECT_TRUE(says(said_of_allocations("add.u64 %rd5, %rd3, %rd4; st.global.u32 [%rd5], 1;"),
                   {"starts from one allocation lands in another", "writes 4 bytes", "thread 0"}));
  EXPECT_TRUE(says(said_of_allocations("add.u64 %rd5, %rd3, %rd4; ld.global.u32 %r2, [%rd5-64];"),
                   {"starts from one allocation", "reads 4 bytes", "thread 16"}));
  EXPECT_EQ(said_of_allocations("st.global.u32 [%rd3+128], 1;"), "");
  // Either pointer; the distance of two; a pointer from memory.
  EXPECT_EQ(said_of_allocations(R"(
    setp.lt.u32 %p, %r1, 16; selp.u64 %rd5, %rd1, %rd2, %p; st.global.u32 [%rd5], 1;)"),
            "");
  EXPECT_EQ(said_of_allocations(R"(
    sub.u64 %rd5, %rd2, %rd1; add.u64 %rd6, %rd3, %rd5; st.global.u32 [%rd6], 1;)"),
            "");
  EXPECT_EQ(said_of_allocations(R"(
    st.global.u64 [%rd1], %rd2; ld.global.u64 %rd5, [%rd1]; st.global.u32 [%rd5], 1;)"),
            "");
}

/// What compilers make of two local arrays of 32 and 64 bytes; %rd6 is 4 n.
std::string said_of_locals(const std::string& body, u64 n) {
  Lab lab(R"(
.visible .entry k(.param .u64 n) {
  .local .align 16 .b8 __local_depot0[96];
  .reg .b64 %SP, %SPL;
  .reg .u64 %rd<20>; .reg .u32 %r<20>; .reg .pred %p<9>;
  mov.u64 %SPL, __local_depot0;
  cvta.local.u64 %SP, %SPL;
  ld.param.u64 %rd5, [n];
  shl.b64 %rd6, %rd5, 2;
  add.u64 %rd1, %SPL, 0;
  add.u64 %rd2, %SPL, 32;
  add.s64 %rd3, %rd1, %rd6;
  add.s64 %rd4, %rd2, %rd6;
)" + body +
          "\n  ret;\n}\n");
  const auto r = lab.run(1, 32, {n});
  return lab.said() + (r.faults.empty() ? "" : r.faults[0].message);
}

TEST(CheckArrays, LocalArrayRunsIntoItsNeighbour) {
  EXPECT_EQ(said_of_locals("st.local.u32 [%rd3], 1; st.local.u32 [%rd4+32], 1;", 7), "");
  EXPECT_TRUE(
      says(said_of_locals("st.local.u32 [%rd3], 1;", 8),
           {"an access to one local array leaves it and lands in another", "writes 4 bytes", "thread 0",
            "the local array at byte 0 of the frame has 32 bytes; this is 0 bytes past its end",
            "there lies the local array at byte 32"}));
  EXPECT_TRUE(
      says(said_of_locals("ld.local.u32 %r1, [%rd4+-8];", 1), {"lands in another", "4 bytes before"}));
  // Across the end, and through a generic address.
  EXPECT_EQ(said_of_locals("ld.local.v2.u32 {%r1, %r2}, [%rd3];", 6), "");
  EXPECT_TRUE(says(said_of_locals("add.u64 %rd7, %SP, 0; add.s64 %rd8, %rd7, %rd6; ld.u32 %r1, [%rd8];", 9),
                   {"lands in another", "4 bytes past its end"}));
}

TEST(CheckArrays, LocalArraysOnlyWhereTheyAreCertain) {
  // What is not known to begin an array, a pointer to either, and constant places of the frame.
  EXPECT_EQ(
      said_of_locals("add.s64 %rd7, %SPL, %rd6; ld.local.u32 %r1, [%rd7]; ld.local.u32 %r2, [%SPL+60];", 9),
      "");
  EXPECT_EQ(said_of_locals(
                "setp.eq.u64 %p1, %rd6, 0; selp.b64 %rd7, %rd3, %rd4, %p1; ld.local.u32 %r1, [%rd7];", 9),
            "");
}

TEST(CheckArrays, LocalVariablesByTheirNames) {
  Lab lab(R"(
.visible .entry k(.param .u64 n) {
  .local .align 4 .b8 one[32];
  .local .align 4 .b8 two[32];
  .reg .u64 %rd<9>;
  ld.param.u64 %rd1, [n];
  mov.u64 %rd2, one;
  add.s64 %rd3, %rd2, %rd1;
  st.local.u32 [%rd3], 1;
  ret;
})");
  lab.run(1, 1, {28});
  EXPECT_EQ(lab.said(), "");
  lab.run(1, 1, {36});
  EXPECT_TRUE(says(lab.said(), {"an access to one leaves the array and lands in two", "one has 32 bytes"}));
}

TEST(CheckArrays, NoNeighbourNoFinding) {
  Lab lab(R"(
.extern .shared .align 16 .b8 all[];
.visible .entry k(.param .u64 p) {
  .reg .u32 %r<9>;
  .shared .align 4 .b8 a[128];
  ld.shared.u32 %r1, [all+60];
  ret;
})");
  lab.run(1, 32, {0}, 64);
  EXPECT_EQ(lab.said(), "");
}

}  // namespace

}  // namespace ww::checks::arrays_test
