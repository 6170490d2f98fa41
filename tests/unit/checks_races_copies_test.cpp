// Races with asynchronous copies, mbarriers, wgmma, and the blocks of a cluster.
#include "checks_races_lab.h"

namespace ww::checks {

namespace {

using namespace races_lab;

TEST(Races, CopiesAreWaitedForByTheirThreadThenByTheBlock) {
  const auto body = [](const std::string& wait) {
    return kernel(R"(  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  cvt.u64.u32 %rd3, %r4;
  add.u64 %rd3, %rd1, %rd3;
  cp.async.ca.shared.global [%r5], [%rd3], 4;
  cp.async.commit_group;
  )" + wait + R"(
  xor.b32 %r6, %r4, 128;
  add.u32 %r6, %r3, %r6;
  ld.shared.u32 %r7, [%r6];
)");
  };
  clean(body("cp.async.wait_group 0;\n  bar.sync 0;"), 1, 64);
  clean(body("cp.async.wait_all;\n  bar.sync 0;"), 1, 64);
  racy(body("cp.async.wait_group 1;\n  bar.sync 0;"), 1, 64, "a wait for the copy");
  racy(body("bar.sync 0;\n  cp.async.wait_group 0;"), 1, 64, "__syncthreads()");
  racy(body("cp.async.wait_group 0;"), 1, 64, "__syncthreads()");
}

TEST(Races, MbarriersOrderThoseWhoWait) {
  const auto body = [](const std::string& wait) {
    return kernel(R"(  .shared .align 8 .b64 done;
  mov.u32 %r3, tile;
  mov.u32 %r10, done;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 mbarrier.init.shared.b64 [%r10], 64;
  bar.sync 0;
  st.shared.u32 [%r5], %r1;
  mbarrier.arrive.shared.b64 %rd4, [%r10];
  )" + wait + R"(
  xor.b32 %r6, %r4, 128;
  add.u32 %r6, %r3, %r6;
  ld.shared.u32 %r7, [%r6];
)");
  };
  clean(body("WAIT: mbarrier.try_wait.shared.b64 %p2, [%r10], %rd4;\n  @!%p2 bra WAIT;"), 1, 64);
  racy(body(""), 1, 64, "__syncthreads() between");
}

TEST(Races, MbarriersAreMadeBeforeTheyAreUsed) {
  const auto body = [](const std::string& between) {
    return kernel(R"(  .shared .align 8 .b64 done;
  mov.u32 %r10, done;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 mbarrier.init.shared.b64 [%r10], 64;
  )" + between + R"(
  mbarrier.arrive.shared.b64 %rd4, [%r10];
)");
  };
  clean(body("bar.sync 0;"), 1, 64);
  racy(body(""), 1, 64, "__syncthreads() between");
}

TEST(Races, MbarriersAreOverBeforeTheirBytesAreTakenForSomethingElse) {
  // All wait for the mbarrier; thread 32 goes on and stores to its bytes, when others may still ask it. (In
  // this run they have. If they had not, they would find no mbarrier, which ends the launch.)
  const auto body = [](const std::string& between) {
    return kernel(R"(  .shared .align 8 .b64 done;
  mov.u32 %r10, done;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 mbarrier.init.shared.b64 [%r10], 64;
  bar.sync 0;
  mbarrier.arrive.shared.b64 %rd4, [%r10];
WAIT: mbarrier.try_wait.shared.b64 %p2, [%r10], %rd4;
  @!%p2 bra WAIT;
  setp.ne.u32 %p3, %r1, 32;
  )" + between + R"(
  @!%p3 st.shared.u32 [%r10+4], 5;
)");
  };
  const std::string invalidate = "@!%p3 mbarrier.inval.shared.b64 [%r10];";
  clean(body("bar.sync 0;\n  " + invalidate), 1, 64);
  racy(body(""), 1, 64, "__syncthreads() between");
  racy(body(invalidate), 1, 64, "__syncthreads() between");
  // It is made where others have just stored.
  const auto made_over = [](const std::string& between) {
    return kernel(R"(  .shared .align 8 .b64 done;
  mov.u32 %r10, done;
  setp.eq.u32 %p1, %r1, 0;
  @!%p1 st.shared.u32 [%r10], 0;
  )" + between + R"(
  @%p1 mbarrier.init.shared.b64 [%r10], 64;
)");
  };
  clean(made_over("bar.sync 0;"), 1, 2);
  racy(made_over(""), 1, 2, "__syncwarp() between");
}

TEST(Races, MbarriersAreMadeBeforeCopiesOfOtherBlocksTellThem) {
  // Block 0 copies to block 1 of its cluster, whose mbarrier is told.
  const auto body = [](const std::string& between) {
    return kernel(R"(  .shared .align 8 .b64 done;
  mov.u32 %r10, done;
  mov.u32 %r5, tile;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra MADE;
  mbarrier.init.shared.b64 [%r10], 1;
MADE:
  )" + between + R"(
  mov.u32 %r6, %cluster_ctarank;
  or.b32 %r7, %r6, %r1;
  setp.ne.u32 %p2, %r7, 0;
  @%p2 bra OVER;
  mov.u16 %h1, 2;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r5], [%rd1], 256, [%r10], %h1;
OVER:
  barrier.cluster.arrive;
  barrier.cluster.wait;
)");
  };
  for (const char* relaxed : {"", ".relaxed"})
    clean(body(std::string("fence.mbarrier_init.release.cluster;\n  barrier.cluster.arrive") + relaxed +
               ";\n  barrier.cluster.wait;"),
          2, 32, {256}, 2);
  racy(body("bar.sync 0;"), 2, 32, "another block", {256}, 2);
}

TEST(Races, BlocksOfAClusterMeetAtItsBarrier) {
  // Each block writes its own tile and reads that of the other block.
  const auto body = [](const std::string& between) {
    return kernel(R"(  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r1;
  )" + between + R"(
  mov.u32 %r6, %cluster_ctarank;
  xor.b32 %r6, %r6, 1;
  mapa.shared::cluster.u32 %r7, %r5, %r6;
  ld.shared::cluster.u32 %r8, [%r7];
  barrier.cluster.arrive;
  barrier.cluster.wait;
)");
  };
  clean(body("barrier.cluster.arrive;\n  barrier.cluster.wait;"), 2, 64, {256}, 2);
  racy(body("barrier.cluster.arrive.relaxed;\n  barrier.cluster.wait;"), 2, 64, "another block", {256}, 2);
  racy(body("bar.sync 0;"), 2, 64, "another block", {256}, 2);
}

TEST(Races, BlocksOfAClusterArriveAtEachOthersBarriers) {
  // Each thread arrives at the other block's mbarrier once its word is written, and reads that block's word
  // once its own block's mbarrier says so. As in CUTLASS neither names the cluster's scope.
  const auto body = [](const std::string& wait) {
    return kernel(R"(  .shared .align 8 .b64 come;
  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  mov.u32 %r9, come;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra MADE;
  mbarrier.init.shared.b64 [%r9], 64;
MADE:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  st.shared.u32 [%r5], %r1;
  mov.u32 %r6, %cluster_ctarank;
  xor.b32 %r6, %r6, 1;
  mapa.shared::cluster.u32 %r7, %r5, %r6;
  mapa.shared::cluster.u32 %r8, %r9, %r6;
  mbarrier.arrive.shared::cluster.b64 _, [%r8];
)" + wait + R"(
  ld.shared::cluster.u32 %r8, [%r7];
  barrier.cluster.arrive;
  barrier.cluster.wait;
)");
  };
  const std::string wait = "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r9], 0; @!%p2 bra AGAIN;";
  clean(body(wait), 2, 64, {256}, 2);
  racy(body("bar.sync 0;"), 2, 64, "another block", {256}, 2);
}

TEST(Races, ArrivalsOfBothBlocksOfAClusterCount) {
  // A barrier of block 0 is arrived at by its own warp 1, then by block 1. Its warp 0, which waits, is
  // ordered behind both, in whatever order they came.
  const auto body = [](const std::string& wait) {
    return kernel(R"(  .shared .align 8 .b64 come;
  mov.u32 %r3, tile;
  and.b32 %r6, %r1, 31;
  shl.b32 %r4, %r6, 2;
  add.u32 %r5, %r3, %r4;
  mov.u32 %r9, come;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra MADE;
  mbarrier.init.shared.b64 [%r9], 64;
MADE:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u32 %r6, %cluster_ctarank;
  setp.ne.u32 %p1, %r6, 0;
  @%p1 bra OTHER;
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra WAIT;
  st.shared.u32 [%r5], %r1;
  mbarrier.arrive.shared.b64 %rd8, [%r9];
  bra END;
OTHER:
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra END;
  mov.u32 %r6, 0;
  mapa.shared::cluster.u32 %r8, %r9, %r6;
  mbarrier.arrive.shared::cluster.b64 _, [%r8];
  bra END;
WAIT:
)" + wait + R"(
  ld.shared.u32 %r8, [%r5];
END:
  barrier.cluster.arrive;
  barrier.cluster.wait;
)");
  };
  clean(body("AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r9], 0; @!%p2 bra AGAIN;"), 2, 64, {256},
        2);
  racy(body(""), 2, 64, "", {256}, 2);
}

TEST(Races, ABlockOfAClusterStaysUntilOthersHaveReadItsMemory) {
  // Block 1 reads what block 0 has, which may have ended by then.
  const auto body = [](const std::string& at_end) {
    return kernel(R"(  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r1;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u32 %r6, %cluster_ctarank;
  setp.eq.u32 %p1, %r6, 0;
  @%p1 bra END;
  xor.b32 %r6, %r6, 1;
  mapa.shared::cluster.u32 %r7, %r5, %r6;
  ld.shared::cluster.u32 %r8, [%r7];
END:
)" + at_end);
  };
  for (const char* relaxed : {"", ".relaxed"})
    clean(body(std::string("  barrier.cluster.arrive") + relaxed + ";\n  barrier.cluster.wait;\n"), 2, 64,
          {256}, 2);
  const auto found = races_of(body(""), 2, 64, {256}, 2);
  ASSERT_EQ(found.size(), 1u) << text_of(found);
  EXPECT_NE(found[0].message.find("ended by then"), std::string::npos) << text_of(found);
}

TEST(Races, WhatABulkCopyReadsMayNotBeOverwrittenUntilItHasBeenRead) {
  // PTX ISA, "Async proxy": what was written in the generic proxy needs a proxy fence before.
  const auto body = [](const std::string& wait, const std::string& fence = "fence.proxy.async;",
                       const std::string& late_fence = "") {
    return kernel(R"(  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r1;
  )" + fence + R"(
  bar.sync 0;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra OVER;
  )" + late_fence +
                  R"(
  cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 256;
  cp.async.bulk.commit_group;
  )" + wait + R"(
OVER:
  bar.sync 0;
  st.shared.u32 [%r5], %r1;
)");
  };
  clean(body("cp.async.bulk.wait_group.read 0;"), 1, 64);
  clean(body("cp.async.bulk.wait_group 0;"), 1, 64);
  racy(body(""), 1, 64, "copies asynchronously from");
  const std::string wait = "cp.async.bulk.wait_group 0;";
  clean(body(wait, "fence.proxy.async.shared::cta;"), 1, 64);
  clean(body(wait, "", "fence.proxy.async;"), 1, 64);
  racy(body(wait, ""), 1, 64, "without a proxy fence after it");
  racy(body(wait, "membar.cta;"), 1, 64, "without a proxy fence after it");
}

/// wgmma of one matrix at the shared address %r3 with itself, committed.
const std::string kProduct = R"(
  mov.f32 %f0, 0f00000000;
  mov.f32 %f1, %f0;
  mov.f32 %f2, %f0;
  mov.f32 %f3, %f0;
  shr.u32 %r6, %r3, 4;
  cvt.u64.u32 %rd5, %r6;
  mov.b64 %rd6, 0x1000080000;
  or.b64 %rd6, %rd6, %rd5;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd6, %rd6, %q, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
)";

TEST(Races, WhatWgmmaReadsMustBeWrittenAndFencedBefore) {
  // PTX ISA, "Async proxy": wgmma reads shared memory there. Both matrices are the same 2048 bytes.
  const auto body = [](const std::string& between) {
    return kernel(R"(  .reg .f32 %f<4>; .reg .pred %q;
  .shared .align 128 .b8 ones[2048];
  mov.u32 %r3, ones;
  shl.b32 %r4, %r1, 4;
  add.u32 %r5, %r3, %r4;
  st.shared.v4.b32 [%r5], {%r1, %r1, %r1, %r1};
)" + between + "\n  setp.eq.u32 %q, 0, 0;" +
                  kProduct + "wgmma.wait_group.sync.aligned 0;");
  };
  clean(body("fence.proxy.async.shared::cta; bar.sync 0;"), 1, 128);
  clean(body("bar.sync 0; fence.proxy.async;"), 1, 128);
  racy(body("bar.sync 0;"), 1, 128, "without a proxy fence after it");
  racy(body("fence.proxy.async;"), 1, 128, "unsynchronised");
}

TEST(Races, WhatWgmmaReadsMustNotChangeBeforeTheWait) {
  const auto body = [](const std::string& before_wait, const std::string& after, u32 waits_for = 0,
                       const std::string& arrivals = "128") {
    return kernel(R"(  .reg .f32 %f<4>; .reg .pred %q;
  .shared .align 128 .b8 ones[2048];
  .shared .align 8 .b64 done;
  mov.u32 %r3, ones;
  shl.b32 %r4, %r1, 4;
  and.b32 %r4, %r4, 2047;
  add.u32 %r5, %r3, %r4;
  setp.lt.u32 %q, %r1, 128;
  @%q st.shared.v4.b32 [%r5], {%r1, %r1, %r1, %r1};
  mov.u32 %r9, done;
  setp.eq.u32 %p0, %r1, 0;
  @%p0 mbarrier.init.shared.b64 [%r9], )" +
                  arrivals + R"(;
  fence.proxy.async.shared::cta; bar.sync 0;
  @!%q bra WRITES;)" +
                  kProduct + before_wait + "\n  wgmma.wait_group.sync.aligned " + std::to_string(waits_for) +
                  ";\n" + after + R"(
  bra DONE;
WRITES:
  mbarrier.test_wait.parity.shared.b64 %p1, [%r9], 0;
  @!%p1 bra WRITES;
  st.shared.u32 [%r5], 7;
DONE:
)");
  };
  const std::string arrive = "mbarrier.arrive.shared.b64 _, [%r9];", store = "st.shared.u32 [%r5], 7;";
  // By the warps that multiply themselves: their own rows of both matrices, after the wait and a barrier.
  clean(body("", arrive + "bar.sync 1, 128;" + store), 1, 128);
  racy(body(store, arrive), 1, 128, "wgmma.wait_group");
  racy(body("", arrive + "bar.sync 1, 128;" + store, 1), 1, 128, "wgmma.wait_group");
  // By others, who are told by an mbarrier: before the wait, or after it.
  clean(body("", arrive), 1, 256);
  racy(body(arrive, ""), 1, 256, "asynchronously (wgmma)");
  // A lane of each warp tells them, whichever it is: all have waited.
  const std::string one = "and.b32 %r6, %r1, 31; setp.eq.u32 %p0, %r6, 1; @%p0 " + arrive;
  clean(body("", one, 0, "4"), 1, 256);
  racy(body(one, "", 0, "4"), 1, 256, "asynchronously (wgmma)");
}

TEST(Races, WhatABulkCopyReadsInGlobalMemoryNeedsAProxyFence) {
  const auto body = [](const std::string& fence) {
    return kernel(R"(  .shared .align 8 .b64 done;
  shl.b32 %r4, %r1, 2;
  cvt.u64.u32 %rd3, %r4;
  add.u64 %rd3, %rd3, %rd1;
  st.global.u32 [%rd3], %r1;
  )" + fence + R"(
  bar.sync 0;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra OVER;
  mov.u32 %r5, done;
  mov.u32 %r6, tile;
  mbarrier.init.shared.b64 [%r5], 1;
  mbarrier.arrive.expect_tx.shared.b64 %rd4, [%r5], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd1], 256, [%r5];
WAIT:
  mbarrier.test_wait.shared.b64 %p2, [%r5], %rd4;
  @!%p2 bra WAIT;
OVER:
)");
  };
  clean(body("fence.proxy.async.global;"), 1, 64);
  clean(body("fence.proxy.async;"), 1, 64);
  racy(body(""), 1, 64, "without a proxy fence after it");
}

TEST(Races, ACopyIsThereWhenThePhaseThatExpectsItIsOver) {
  // PTX ISA, "Tracking asynchronous operations by the mbarrier object": a phase is complete when no arrivals
  // are pending and its tx-count is 0. Here two copies of 256 bytes belong to the first phase.
  const auto body = [](const std::string& bytes, const std::string& wait) {
    return kernel(R"(  .shared .align 8 .b64 done;
  mov.u32 %r5, done;
  mov.u32 %r6, tile;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 mbarrier.init.shared.b64 [%r5], 1;
  bar.sync 0;
  @%p1 bra WAIT;
  mbarrier.arrive.expect_tx.shared.b64 %rd4, [%r5], )" +
                  bytes + R"(;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd1], 256, [%r5];
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6+256], [%rd1], 256, [%r5];
WAIT:
)" + wait + R"(
  shl.b32 %r4, %r1, 2;
  add.u32 %r4, %r4, %r6;
  ld.shared.u32 %r7, [%r4];
  ld.shared.u32 %r7, [%r4+256];
)");
  };
  const std::string passes = "  mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;\n  @!%p2 bra WAIT;";
  clean(body("512", passes), 1, 64);
  racy(body("256", passes), 1, 64, "a wait for the copy");
  // A new mbarrier is in its first phase, of parity 0; asked for parity 1, it says that the phase before is
  // over.
  racy(body("768", "  bar.sync 0;\n  mbarrier.test_wait.parity.shared.b64 %p2, [%r5], 1;"), 1, 64,
       "a wait for the copy");
}

TEST(Races, LanesMayCopyTheSameBytesToTheSamePlace) {
  // Tiles of cooperative groups do so where there is less to copy than lanes: those too many repeat the last.
  const auto body = [](const std::string& source, const std::string& size) {
    return kernel(R"(  mov.u32 %r3, tile;
  min.u32 %r4, %r1, 7;
  shl.b32 %r5, %r4, 4;
  add.u32 %r3, %r3, %r5;
  shl.b32 %r6, )" +
                  source +
                  R"(, 4;
  cvt.u64.u32 %rd3, %r6;
  add.u64 %rd3, %rd1, %rd3;
  cp.async.ca.shared.global [%r3], [%rd3], 16)" +
                  size + R"(;
  cp.async.wait_all;
  bar.warp.sync 0xffffffff;
  mov.u32 %r7, tile;
  ld.shared.u32 %r8, [%r7+112];
)");
  };
  clean(body("%r4", ""), 1, 32);
  clean(body("%r4", ", 8"), 1, 32);
  racy(body("%r1", ""), 1, 32, "copies asynchronously to 4 bytes, a lane of its warp copies");
}

TEST(Races, AsynchronousReductionsAreAtomicAndAwaited) {
  // 32 threads add to one word of shared memory; thread 0 waits for all of it, or reads at once.
  const auto body = [](const std::string& wait, const std::string& more) {
    return kernel(R"(  .shared .align 8 .b64 done;
  mov.u32 %r3, tile;
  mov.u32 %r10, done;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra MADE;
  mbarrier.init.shared.b64 [%r10], 1;
  st.shared.u32 [%r3], 0;
  mbarrier.arrive.expect_tx.shared.b64 %rd4, [%r10], 128;
MADE:
  bar.sync 0;
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r3], 1, [%r10];
)" + more + wait + R"(
  @!%p1 ld.shared.u32 %r7, [%r3];
)");
  };
  const std::string wait = "WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [%r10], 0;\n  @!%p2 bra WAIT;";
  clean(body(wait, ""), 1, 32);
  clean(body(wait + "\n  bar.sync 0;", "  atom.shared.add.u32 %r8, [%r3], 1;\n"), 1, 32);
  racy(body("bar.sync 0;", ""), 1, 32, "updates 4 bytes asynchronously");
  racy(body(wait, "  @!%p1 st.shared.u32 [%r3], 5;\n"), 1, 32, "asynchronously");
}

}  // namespace

}  // namespace ww::checks
