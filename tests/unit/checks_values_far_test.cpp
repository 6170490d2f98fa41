// Uninitialised values that pass through functions, the carry flag, and matrices. Each faulty kernel has a
// fixed twin, which must be clean.
#include "checks/values.h"
#include "checks_lab.h"

namespace ww::checks::values_far_test {

namespace {

using Lab = CheckLab<Values>;
using engine::says;

std::string kernel(const std::string& body) {
  return R"(
.visible .entry k(.param .u64 p, .param .u64 q) {
  .reg .u64 %rd<20>; .reg .b32 %r<40>; .reg .f32 %f<10>; .reg .pred %p<10>;
  .shared .align 128 .b8 tile[2048];
  ld.param.u64 %rd1, [p];
  ld.param.u64 %rd2, [q];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd4, %r1, 4;
  add.u64 %rd3, %rd1, %rd4;
)" + body +
         "\n  ret;\n}\n";
}

std::string said(const std::string& body, const std::string& functions = "", u32 block = 32) {
  Lab lab(functions + kernel(body));
  const u64 out = lab.words(1024), in = lab.lab.words(1024);  // `in` is uninitialised
  auto r = lab.run(1, block, {out, in});
  EXPECT_TRUE(r.faults.empty()) << r.faults[0].message;
  return lab.said();
}

// As nvcc passes them: through .param variables.
std::string called(const char* argument, const char* function) {
  return said(std::string(argument) + R"(
  {
  .param .b32 param0;
  st.param.b32 [param0], %r4;
  .param .b32 retval0;
  call.uni (retval0), )" +
                  function + R"(, (param0);
  ld.param.b32 %r5, [retval0];
  }
  st.global.u32 [%rd3], %r5;)",
              R"(
.func (.param .b32 retval) next(.param .b32 a) {
  .reg .b32 %r<5>;
  ld.param.u32 %r1, [a];
  add.u32 %r2, %r1, 1;
  st.param.b32 [retval], %r2;
  ret;
}
.func (.param .b32 retval) seven(.param .b32 a) {
  .reg .b32 %r<5>;
  ld.param.u32 %r1, [a];
  mov.u32 %r2, 7;
  st.param.b32 [retval], %r2;
  ret;
}
.func (.param .b32 retval) nothing(.param .b32 a) {
  ret;
}
.func (.param .b32 retval) register(.param .b32 a) {
  .reg .b32 %r<5>; .reg .pred %p<2>;
  ld.param.u32 %r1, [a];
  setp.ne.u32 %p1, %r1, 3;
  @%p1 mov.u32 %r2, 7;
  add.u32 %r2, %r2, 1;
  st.param.b32 [retval], %r2;
  ret;
}
.func (.param .b32 retval) local(.param .b32 a) {
  .local .align 4 .b8 depot[8];
  .reg .b32 %r<5>; .reg .pred %p<2>;
  ld.param.u32 %r1, [a];
  setp.ne.u32 %p1, %r1, 3;
  @%p1 st.local.u32 [depot+4], %r1;
  ld.local.u32 %r2, [depot+4];
  add.u32 %r2, %r2, 1;
  st.param.b32 [retval], %r2;
  ret;
}
)");
}

TEST(CheckValuesFar, ParametersAndResults) {
  EXPECT_TRUE(says(called("ld.global.u32 %r4, [%rd2];", "next"),
                   {"a value computed from an uninitialised one", "loads 4 uninitialised bytes"}));
  EXPECT_EQ(called("mov.u32 %r4, 1;", "next"), "");
  EXPECT_EQ(called("ld.global.u32 %r4, [%rd2];", "seven"), "");  // it is dropped there
}

TEST(CheckValuesFar, LocalVariablesOfFunctions) {
  EXPECT_TRUE(says(called("mov.u32 %r4, 3;", "local"), {"computed from", "local memory"}));
  EXPECT_TRUE(says(called("mov.u32 %r4, 3;", "register"), {"computed from", "never initialised"}));
  EXPECT_EQ(called("mov.u32 %r4, 4;", "register"), "");
  EXPECT_EQ(called("mov.u32 %r4, 4;", "local"), "");
}

// Each call has two words of its own, the second of which only the outer calls set.
TEST(CheckValuesFar, LocalVariablesOfRecursiveFunctions) {
  const auto body = [](const char* set_by) {
    return said(R"(
  mov.u32 %r4, 3;
  {
  .param .b32 param0;
  st.param.b32 [param0], %r4;
  .param .b32 retval0;
  call.uni (retval0), deep, (param0);
  ld.param.b32 %r5, [retval0];
  }
  st.global.u32 [%rd3], %r5;)",
                std::string(R"(
.func (.param .b32 retval) deep(.param .b32 a) {
  .local .align 4 .b8 own[8];
  .reg .b32 %r<9>; .reg .pred %p<3>;
  ld.param.u32 %r1, [a];
  st.local.u32 [own], %r1;
  mov.u32 %r4, 0;
  setp.ge.u32 %p2, %r1, )") +
                    set_by +
                    R"(;
  @%p2 st.local.u32 [own+4], %r4;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra LAST;
  sub.u32 %r2, %r1, 1;
  {
  .param .b32 param0;
  st.param.b32 [param0], %r2;
  .param .b32 retval0;
  call.uni (retval0), deep, (param0);
  ld.param.b32 %r4, [retval0];
  }
LAST:
  ld.local.u32 %r5, [own+4];
  add.u32 %r5, %r5, %r4;
  st.param.b32 [retval], %r5;
  ret;
}
)");
  };
  EXPECT_EQ(body("0"), "");
  EXPECT_TRUE(says(body("1"), {"computed from", "loads 4 uninitialised bytes"}));
  EXPECT_TRUE(says(body("4"), {"computed from", "loads 4 uninitialised bytes"}));
}

TEST(CheckValuesFar, AFunctionThatReturnsNothing) {
  const auto body = [](const char* function) {
    return std::string(R"(
  {
  .param .b32 param0;
  st.param.b32 [param0], %r1;
  .param .b32 retval0;
  call.uni (retval0), )") +
           function + R"(, (param0);
  ld.param.b32 %r5, [retval0];
  }
  setp.eq.u32 %p1, %r5, 0;
  @%p1 bra L;
  st.global.u32 [%rd3], %r5;
L:)";
  };
  const std::string functions = R"(
.func (.param .b32 retval) sometimes(.param .b32 a) {
  .reg .b32 %r<5>; .reg .pred %p<2>;
  ld.param.u32 %r1, [a];
  setp.lt.u32 %p1, %r1, 31;
  @%p1 st.param.b32 [retval], %r1;
  ret;
}
.func (.param .b32 retval) always(.param .b32 a) {
  .reg .b32 %r<5>;
  ld.param.u32 %r1, [a];
  st.param.b32 [retval], %r1;
  ret;
}
)";
  EXPECT_TRUE(says(said(body("sometimes"), functions), {"a branch depends on", "thread 31"}));
  EXPECT_EQ(said(body("always"), functions), "");
}

TEST(CheckValuesFar, TheCarryFlag) {
  const auto sum = [](const char* low) {
    return std::string(low) + R"(
    add.cc.u32 %r5, %r4, 1;
    addc.u32 %r6, 0, 0;
    setp.eq.u32 %p1, %r6, 1;
    @%p1 bra L;
    st.global.u32 [%rd3], 1;
    L:)";
  };
  EXPECT_TRUE(says(said(sum("ld.global.u32 %r4, [%rd2];")), {"a branch depends on", "loads 4"}));
  EXPECT_EQ(said(sum("mov.u32 %r4, 1;")), "");
  // The lowest bit alone is undefined: 2 or 3, plus 1, carry nothing.
  EXPECT_EQ(said(sum("ld.global.u32 %r4, [%rd2]; and.b32 %r4, %r4, 1; or.b32 %r4, %r4, 2;")), "");
  EXPECT_TRUE(says(said(sum("ld.global.u32 %r4, [%rd2]; or.b32 %r4, %r4, 0xfffffffe;")), {"a branch"}));
  // A flag that is set anew.
  EXPECT_EQ(said("ld.global.u32 %r4, [%rd2]; add.cc.u32 %r5, %r4, 1;" + sum("mov.u32 %r4, 1;")), "");
  const auto difference = [](const char* low) {
    return std::string(low) + R"(
    sub.cc.u32 %r5, %r4, 8;
    subc.u32 %r6, 0, 0;
    setp.eq.u32 %p1, %r6, 0;
    @%p1 bra L;
    st.global.u32 [%rd3], 1;
    L:)";
  };
  EXPECT_TRUE(says(said(difference("ld.global.u32 %r4, [%rd2]; and.b32 %r4, %r4, 15;")), {"a branch"}));
  EXPECT_EQ(said(difference("ld.global.u32 %r4, [%rd2]; and.b32 %r4, %r4, 7;")), "");  // always borrows
}

/// A and B of 16 x 16 halves, each a row after the other; row 9 of A is never written if `all` is 0. Then C =
/// A B in shared memory behind them, and lane l adds one to the first element of its row.
std::string wmma(const char* all, const char* layout = "row") {
  return std::string(R"(
    shl.b32 %r2, %r1, 5; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2;
    setp.ne.u32 %p1, %r1, 9;
    setp.ne.u32 %p3, )") +
         all + R"(, 0;
    or.pred %p1, %p1, %p3;
    @%p1 st.shared.v4.u32 [%r3], {0, 0, 0, 0};
    @%p1 st.shared.v4.u32 [%r3+16], {0, 0, 0, 0};
    bar.warp.sync 0xffffffff;
    mov.u32 %r4, tile;
    wmma.load.a.sync.aligned.)" +
         layout + R"(.m16n16k16.shared.f16 {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%r4];
    wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, [%r4+512];
    mov.b32 %r5, 0;
    wmma.mma.sync.aligned.)" +
         layout + R"(.row.m16n16k16.f16.f16 {%r30, %r31, %r32, %r33},
      {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, {%r5, %r5, %r5, %r5};
)";
}

TEST(CheckValuesFar, WmmaCarriesRows) {
  const auto body = [](const char* all, const char* lane, const char* layout = "row") {
    return wmma(all, layout) + R"(
    wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r4+1024], {%r30, %r31, %r32, %r33};
    bar.warp.sync 0xffffffff;
    setp.ne.u32 %p2, %r1, )" +
           lane + R"(;
    @%p2 ret;
    ld.shared.u32 %r6, [%r3+1024];
    add.u32 %r6, %r6, 1;
    st.global.u32 [%rd3], %r6;)";
  };
  EXPECT_TRUE(says(said(body("0", "9")), {"computed from", "tile (288 bytes into it)"}));
  EXPECT_EQ(said(body("0", "8")), "");
  EXPECT_EQ(said(body("0", "15")), "");
  EXPECT_EQ(said(body("1", "9")), "");
  // Taken as columns, column 9 is undefined: so are all sums.
  EXPECT_TRUE(says(said(body("0", "3", "col")), {"computed from"}));
  EXPECT_EQ(said(body("1", "3", "col")), "");
}

TEST(CheckValuesFar, WmmaStoresToGlobalMemory) {
  const std::string store =
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%rd1], {%r30, %r31, %r32, %r33};";
  EXPECT_TRUE(says(said(wmma("0") + store), {"a matrix computed from an uninitialised one", "tile ("}));
  EXPECT_EQ(said(wmma("1") + store), "");
}

TEST(CheckValuesFar, StmatrixStoresWhatTheLanesHold) {
  // Lane 5 holds columns 2 and 3 of row 1.
  const auto body = [](const char* row) {
    return std::string(R"(
    mov.u32 %r5, 0;
    setp.eq.u32 %p1, %r1, 5;
    @%p1 ld.global.u32 %r5, [%rd2];
    and.b32 %r6, %r1, 7; shl.b32 %r6, %r6, 4; mov.u32 %r7, tile; add.u32 %r6, %r6, %r7;
    stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r6], {%r5};
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r8, [tile+)") +
           row + "]; add.u32 %r8, %r8, 1; st.global.u32 [%rd3], %r8;";
  };
  EXPECT_TRUE(says(said(body("20")), {"computed from"}));
  EXPECT_EQ(said(body("16")), "");
  EXPECT_EQ(said(body("24")), "");
  EXPECT_EQ(said(body("4")), "");
}

TEST(CheckValuesFar, WgmmaReadsSharedMemory) {
  // B of 16 x 8 halves lies as two 8 x 8 matrices, a column of B in 16 bytes: column n at 16 n (k < 8) and at
  // 128 + 16 n. Column 5 is never written. Lane l has columns 2 (l mod 4) and the next.
  const auto body = [](const char* missing, const char* lane, const char* d) {
    return std::string(R"(
    shl.b32 %r2, %r1, 4; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2;
    setp.ne.u32 %p1, %r1, )") +
           missing + R"(;
    setp.lt.and.u32 %p1, %r1, 16, %p1;
    @%p1 st.shared.v4.u32 [%r3], {0, 0, 0, 0};
    fence.proxy.async;
    bar.sync 0;
    mov.u32 %r4, 0;
    mov.u32 %r5, tile; shr.u32 %r5, %r5, 4; or.b32 %r5, %r5, 0x80000;
    cvt.u64.u32 %rd5, %r5;
    setp.ne.u32 %p2, %r4, 0;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r4, %r4, %r4, %r4}, %rd5, %p2, 1, 1, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    setp.ne.u32 %p3, %r1, )" +
           lane + "; @%p3 ret; st.global.f32 [%rd3], " + d + ";";
  };
  EXPECT_TRUE(says(said(body("5", "2", "%f2"), "", 128), {"computed from", "tile (80 bytes into it)"}));
  EXPECT_TRUE(says(said(body("13", "126", "%f4"), "", 128), {"computed from", "tile (208 bytes into it)"}));
  EXPECT_EQ(said(body("5", "2", "%f1"), "", 128), "");
  EXPECT_EQ(said(body("5", "3", "%f2"), "", 128), "");
  EXPECT_EQ(said(body("77", "2", "%f2"), "", 128), "");
}

TEST(CheckValuesFar, MovmatrixTransposes) {
  // Lane 5 holds elements 2 and 3 of row 1, which become rows 2 and 3 of column 1: the upper halves of lanes
  // 8 and 12.
  const auto body = [](const char* shift, const char* lane) {
    return std::string(R"(
    mov.u32 %r5, 0;
    setp.eq.u32 %p1, %r1, 5;
    @%p1 ld.global.u32 %r5, [%rd2];
    movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r5;
    shr.u32 %r7, %r6, )") +
           shift + "; and.b32 %r7, %r7, 0xffff; add.u32 %r7, %r7, 1; setp.ne.u32 %p2, %r1, " + lane +
           "; @%p2 ret; st.global.u32 [%rd3], %r7;";
  };
  EXPECT_TRUE(says(said(body("16", "8")), {"computed from"}));
  EXPECT_TRUE(says(said(body("16", "12")), {"computed from"}));
  EXPECT_EQ(said(body("0", "8")), "");
  EXPECT_EQ(said(body("16", "4")), "");
  EXPECT_EQ(said(body("16", "5")), "");
}

TEST(CheckValuesFar, ShufflesFromAnUnknownLane) {
  const auto body = [](const char* memory) {
    return std::string("ld.global.u32 %r5, [") + memory +
           "]; shfl.sync.idx.b32 %r6, %r1, %r5, 31, 0xffffffff; add.u32 %r6, %r6, 1; st.global.u32 [%rd3], "
           "%r6;";
  };
  EXPECT_TRUE(says(said(body("%rd2")), {"computed from", "loads 4 uninitialised bytes"}));
  EXPECT_EQ(said(body("%rd1")), "");
}

TEST(CheckValuesFar, BulkCopiesCarryBits) {
  const auto loads = [](const char* from, const char* bytes) {
    return std::string(R"(
  setp.ne.u32 %p1, %r1, 0;
  mov.u32 %r5, tile;
  mad.lo.u32 %r6, %r1, 4, %r5;
  st.shared.u32 [%r6], %r1;
  fence.proxy.async;
  @!%p1 mbarrier.init.shared.b64 [tile+1024], 1;
  bar.sync 0;
  @!%p1 mbarrier.arrive.expect_tx.shared.b64 %rd6, [tile+1024], )") +
           bytes + ";\n  @!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [" +
           from + "], " + bytes + R"(, [tile+1024];
WAIT:
  mbarrier.test_wait.parity.shared.b64 %p2, [tile+1024], 0;
  @!%p2 bra WAIT;
  ld.shared.u32 %r7, [%r6];
  add.u32 %r7, %r7, 1;
  st.global.u32 [%rd3], %r7;)";
  };
  EXPECT_EQ(said(loads("%rd1", "128")), "");
  EXPECT_TRUE(says(said(loads("%rd2", "128")), {"computed from", "loads 128 uninitialised bytes"}));
  EXPECT_TRUE(says(said(loads("%rd2", "16")), {"computed from", "loads 16 uninitialised bytes"}));
  // Half of the tile is set, copied to global memory and loaded from there.
  const auto stores = [](const char* set) {
    return std::string(R"(
  mad.lo.u32 %r6, %r1, 4, 0;
  setp.lt.u32 %p2, %r1, )") +
           set + R"(;
  mov.u32 %r5, tile;
  add.u32 %r6, %r6, %r5;
  @%p2 st.shared.u32 [%r6], %r1;
  fence.proxy.async;
  bar.sync 0;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r5], 128;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  bar.sync 0;
  add.u64 %rd5, %rd2, %rd4;
  ld.global.u32 %r7, [%rd5];
  add.u32 %r7, %r7, 1;
  st.global.u32 [%rd3], %r7;)";
  };
  EXPECT_EQ(said(stores("32")), "");
  EXPECT_TRUE(says(said(stores("16")), {"computed from", "loads 4 uninitialised bytes"}));
}

// Blocks of a cluster: what one stores to another's shared memory, and what nobody does.
TEST(CheckValuesFar, SharedMemoryOfOtherBlocks) {
  const auto of_two = [](const char* store, const char* load) {
    std::string text = kernel(std::string(R"(
  mov.u32 %r2, %cluster_ctarank; xor.b32 %r3, %r2, 1; mov.u32 %r4, %ctaid.x;
  mad.lo.u32 %r5, %r4, 32, %r1; mul.wide.u32 %rd4, %r5, 4; add.u64 %rd3, %rd1, %rd4;
  mov.u32 %r6, tile; mad.lo.u32 %r6, %r1, 4, %r6;
  mapa.shared::cluster.u32 %r7, %r6, %r3;
)") + store + "\n  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n" +
                              load + R"(
  add.u32 %r9, %r8, 1;
  st.global.u32 [%rd3], %r9;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;)");
    text.replace(text.find(".param .u64 q) {"), 16, ".param .u64 q) .reqnctapercluster 2 {");
    Lab lab(text);
    const u64 out = lab.words(1024), in = lab.words(16);
    EXPECT_TRUE(lab.run(2, 32, {out, in}).faults.empty());
    return lab.said();
  };
  const char *remote = "st.shared::cluster.u32 [%r7], %r1;", *own = "st.shared.u32 [%r6], %r1;";
  const char *remote_load = "ld.shared::cluster.u32 %r8, [%r7];", *own_load = "ld.shared.u32 %r8, [%r6];";
  EXPECT_EQ(of_two(remote, own_load), "");
  EXPECT_EQ(of_two(remote, remote_load), "");
  EXPECT_EQ(of_two(own, remote_load), "");
  EXPECT_TRUE(says(of_two("", remote_load), {"computed from", "loads 4 uninitialised bytes"}));
  EXPECT_TRUE(says(of_two("", own_load), {"computed from", "tile (0 bytes into it)"}));
  const char* half = "setp.lt.u32 %p1, %r1, 16; @%p1 st.shared::cluster.u32 [%r7], %r1;";
  EXPECT_TRUE(says(of_two(half, own_load), {"computed from", "tile (64 bytes into it)"}));
  const char* of_one = "setp.eq.u32 %p1, %r2, 1; @%p1 st.shared::cluster.u32 [%r7], %r1;";
  EXPECT_TRUE(says(of_two(of_one, own_load), {"computed from", "tile (0 bytes into it)"}));
}

// A box of 4 x 2 elements of an array of 8 x 4, of which so many words are set.
TEST(CheckValuesFar, CopiesOfTensorsBringWhatNobodySet) {
  const auto box = [](u32 set) {
    Lab lab(kernel(R"(
  setp.ne.u32 %p1, %r1, 0;
  mov.u32 %r5, 0;
  @!%p1 mbarrier.init.shared.b64 [tile+1024], 1;
  bar.sync 0;
  @!%p1 mbarrier.arrive.expect_tx.shared.b64 %rd6, [tile+1024], 32;
  @!%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%rd2, {%r5, %r5}], [tile+1024];
WAIT:
  mbarrier.test_wait.parity.shared.b64 %p2, [tile+1024], 0;
  @!%p2 bra WAIT;
  setp.gt.u32 %p3, %r1, 7;
  @%p3 ret;
  mov.u32 %r6, tile;
  mad.lo.u32 %r6, %r1, 4, %r6;
  ld.shared.u32 %r7, [%r6];
  add.u32 %r7, %r7, 1;
  st.global.u32 [%rd3], %r7;)"));
    const u64 out = lab.words(64), map_at = lab.words(32), array = lab.lab.words(32);
    if (set) lab.host(array, 4 * set, isa::Direction::Write);
    lab.put_tensor_map(map_at, array);
    EXPECT_TRUE(lab.run(1, 32, {out, map_at}).faults.empty());
    return lab.said();
  };
  EXPECT_EQ(box(32), "");
  EXPECT_EQ(box(16), "");  // the rows below are not in the box
  EXPECT_TRUE(says(box(0), {"computed from", "loads 32 uninitialised bytes"}));
}

}  // namespace

}  // namespace ww::checks::values_far_test
