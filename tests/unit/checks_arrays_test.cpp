// A shared array that runs into its neighbour.
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
