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

TEST(CheckWarps, LanesThatNameDifferentBarriers) {
  const auto body = [](const char* number) { return std::string(number) + " bar.sync %r3, 32;"; };
  EXPECT_TRUE(says(said(body("and.b32 %r3, %r1, 3;")),
                   {"lanes of one warp name different barriers", "names barrier 0 of 32 threads",
                    "others than lane 0: lanes 1-3,5-7"}));
  EXPECT_EQ(said(body("shr.u32 %r3, %r1, 5;"), 64), "");
  EXPECT_EQ(said("and.b32 %r3, %r1, 3; barrier.sync %r3, 32;"), "");
  // Only the number of threads differs: 32 and 64.
  EXPECT_TRUE(says(said("shr.u32 %r3, %r2, 4; mad.lo.u32 %r3, %r3, 32, 32; bar.arrive 1, %r3;"),
                   {"lanes of one warp name different barriers, or numbers of threads"}));
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

// PTX ISA, wgmma.mma_async: its registers may be accessed behind wgmma.wait_group of its group only, and
// wgmma.fence comes before the first one.
std::string product(const std::string& before, const std::string& behind) {
  return R"(  .reg .f32 %f<9>; .reg .b64 %m; .shared .align 128 .b8 ones[2048];
  mov.u32 %r3, ones;
  shr.u32 %r3, %r3, 4;
  cvt.u64.u32 %m, %r3;
  or.b64 %m, %m, 0x1000080000;
  setp.eq.u32 %p2, 0, 0;
  mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
)" + before +
         R"(
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %m, %m, %p2, 1, 1, 0, 0;
)" + behind +
         "\n st.global.f32 [%rd2], %f1;";
}

TEST(CheckWarps, AProductIsUsedBeforeItIsOver) {
  const std::string fence = "wgmma.fence.sync.aligned;", commit = "wgmma.commit_group.sync.aligned;",
                    wait = "wgmma.wait_group.sync.aligned 0;", one = "wgmma.wait_group.sync.aligned 1;";
  const std::string again =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, %m, %m, "
      "%p2, 1, 1, 0, 0;" +
      commit;
  const char* early = "what a wgmma computes is read before it is over";
  EXPECT_EQ(said(product(fence, commit + wait), 128), "");
  EXPECT_TRUE(says(said(product(fence, commit), 128), {early, "unawaited product", "waits for its group"}));
  EXPECT_TRUE(says(said(product(fence, commit + one), 128), {early, "waits for its group"}));
  EXPECT_TRUE(says(said(product(fence, wait), 128), {early, "missing: wgmma.commit_group"}));
  EXPECT_TRUE(says(said(product("", commit + wait), 128), {"a wgmma stands behind no wgmma.fence"}));
  // The group before the last one is over; a copy is no use, but the use of a copy is.
  EXPECT_EQ(said(product(fence, commit + again + one), 128), "");
  EXPECT_EQ(said(product(fence, "mov.f32 %f8, %f2;" + commit + wait), 128), "");
  EXPECT_TRUE(
      says(said(product(fence, "mov.f32 %f8, %f2; add.f32 %f8, %f8, %f8;" + commit + wait), 128), {early}));
  // Where one way to the use waits, perhaps only that one is ever taken.
  EXPECT_EQ(said(product(fence, commit + "setp.lt.u32 %p3, %r1, 500; @!%p3 bra L;" + wait + "L:"), 128), "");
  // In a loop the accumulators go on from product to product, and the wait is behind it.
  const std::string loop = "mov.u32 %r9, 0; LOOP:" + fence,
                    round = commit + one + "add.u32 %r9, %r9, 1; setp.lt.u32 %p4, %r9, 3; @%p4 bra LOOP;";
  EXPECT_EQ(said(product(loop, round + wait), 128), "");
  EXPECT_TRUE(says(said(product(loop, round), 128), {early}));
}

}  // namespace

}  // namespace ww::checks::warps_test
