// Masks and barriers. Each faulty kernel has a fixed twin, which must be clean.
#include "checks/warps.h"
#include "checks_lab.h"

namespace ww::checks::warps_test {

namespace {

using Lab = CheckLab<Warps>;
using engine::says;

std::string kernel(const std::string& body) {
  return R"(
.visible .entry k(.param .u64 p) {
  .reg .u64 %rd<9>; .reg .u32 %r<20>; .reg .pred %p<9>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd2, %rd1, %rd2;
  and.b32 %r2, %r1, 31;
)" + body +
         "\n  ret;\n}\n";
}

std::string said(const std::string& body, u32 block = 32) {
  Lab lab(kernel(body));
  auto r = lab.run(1, block, {lab.words(1024)});
  return lab.said() + (r.faults.empty() ? "" : r.faults[0].message);
}

TEST(CheckWarps, ALaneOutsideItsOwnMask) {
  const auto body = [](const char* most) {
    return std::string("setp.le.u32 %p1, %r1, ") + most + R"(;
    @!%p1 bra L;
    bar.warp.sync 0x0000ffff;
    L:)";
  };
  EXPECT_TRUE(says(said(body("16")), {"a lane is not in its own mask", "0x0000ffff", "thread 16",
                                      "names lanes 0-15", "executed by: lanes 0-16", "own mask: lane 16"}));
  EXPECT_EQ(said(body("15")), "");
}

TEST(CheckWarps, MaskZero) {
  const auto body = [](const char* mask) {
    return std::string("mov.u32 %r3, ") + mask + "; shfl.sync.idx.b32 %r4, %r1, 0, 31, %r3;";
  };
  EXPECT_TRUE(says(said(body("0")), {"mask of a warp-level instruction is 0"}));
  EXPECT_EQ(said(body("-1")), "");
}

TEST(CheckWarps, EachTileGivesItsOwnMask) {
  // As cooperative groups do: lanes 0 to 7 give 0xff, 8 to 15 0xff00 and so on.
  EXPECT_EQ(said(R"(
    and.b32 %r3, %r2, 24;
    mov.u32 %r4, 0xff;
    shl.b32 %r4, %r4, %r3;
    shfl.sync.bfly.b32 %r5, %r1, 4, 0x181f, %r4;)"),
            "");
  // Lane 3 forgets lane 7, which names it.
  EXPECT_TRUE(says(said(R"(
    mov.u32 %r4, -1;
    setp.eq.u32 %p1, %r2, 3;
    @%p1 mov.u32 %r4, 0xffffff7f;
    shfl.sync.bfly.b32 %r5, %r1, 4, 31, %r4;)"),
                   {"different masks", "0xffffff7f", "0xffffffff"}));
}

TEST(CheckWarps, LanesThatHaveEnded) {
  const std::string ends = "setp.ge.u32 %p1, %r1, 40; @%p1 ret;";
  EXPECT_TRUE(says(said(ends + "vote.sync.any.pred %p2, %p1, 0xffffffff;", 64),
                   {"names lanes that have exited", "have exited: lanes 8-31"}));
  EXPECT_EQ(said(ends + R"(
    mov.u32 %r3, -1;
    setp.ge.u32 %p3, %r1, 32;
    @%p3 mov.u32 %r3, 0xff;
    vote.sync.any.pred %p2, %p1, %r3;)",
                 64),
            "");
  // Threads that never were: a block of 40.
  EXPECT_EQ(said("vote.sync.any.pred %p2, %p1, 0xffffffff;", 40), "");
}

TEST(CheckWarps, LanesMeetAtDifferentBarriers) {
  const auto parts = [](const char* which, const char* instruction) {
    return std::string("setp.lt.u32 %p1, ") + which + R"(, 16;
    @%p1 bra A;
    )" + instruction +
           R"( 0;
    bra L;
    A:
    )" + instruction +
           R"( 0;
    L:)";
  };
  EXPECT_TRUE(says(said(parts("%r1", "bar.sync")),
                   {"lanes of one warp wait for each other at different barrier instructions", "lanes 0-15",
                    "lanes 16-31"}));
  // Also where both stand in one line of the source.
  Lab one(".file 1 \"one.cu\"\n" + kernel(".loc 1 7 0\n" + parts("%r1", "bar.sync")));
  one.run(1, 32, {one.words(64)});
  EXPECT_TRUE(says(one.said(), {"different barrier instructions"}));
  EXPECT_EQ(said(parts("%r1", "barrier.sync")), "");  // made for divided warps
  // Warp by warp PTX has it so; CUDA C++ does not promise it.
  EXPECT_TRUE(says(said("shr.u32 %r3, %r1, 1;" + parts("%r3", "bar.sync"), 64),
                   {"warps of one block wait for each other at different __syncthreads()"}));
  EXPECT_EQ(said("shr.u32 %r3, %r1, 1;" + parts("%r3", "barrier.sync"), 64), "");
}

TEST(CheckWarps, ThreadsThatEndBeforeABarrier) {
  Lab lab(kernel("setp.ge.u32 %p1, %r1, 40; @%p1 ret; bar.sync 0;"));
  lab.run(1, 64, {lab.words(64)});
  ASSERT_EQ(lab.findings.all().size(), 1u);
  EXPECT_EQ(lab.findings.all()[0].severity, Severity::Hint);
  EXPECT_TRUE(says(lab.said(), {"24 of 64 threads exited before a barrier"}));
  EXPECT_EQ(said("bar.sync 0; setp.ge.u32 %p1, %r1, 40; @%p1 ret;", 64), "");
  EXPECT_EQ(said("bar.sync 0;", 40), "");
}

TEST(CheckWarps, NamedLanesThatNeverComeAreNoBarrier) {
  // Half a warp waits for all of it; the others wait where the paths meet.
  const std::string text = said(R"(
    setp.lt.u32 %p1, %r1, 16;
    @!%p1 bra L;
    shfl.sync.idx.b32 %r3, %r1, 0, 31, 0xffffffff;
    L:
    st.global.u32 [%rd2], %r3;)");
  EXPECT_TRUE(says(text, {"mask names lanes that do not come", "0xffffffff", "lanes 0-15",
                          "missing: lanes 16-31", "where the paths of the warp reconverge"}));
  EXPECT_EQ(text.find("barrier deadlock"), std::string::npos);
}

}  // namespace

}  // namespace ww::checks::warps_test
