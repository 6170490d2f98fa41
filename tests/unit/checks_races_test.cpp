// Races: each faulty kernel is told, with its lines; its fixed twin is not.
#include "checks_races_lab.h"

namespace ww::checks {

namespace {

using namespace races_lab;

/// Each thread writes its word of `tile`, then reads the one of thread (tid ^ distance).
std::string exchange(const std::string& between, int distance) {
  return kernel(R"(  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r1;
  )" + between + "\n  xor.b32 %r6, %r1, " +
                std::to_string(distance) + R"(;
  shl.b32 %r6, %r6, 2;
  add.u32 %r6, %r3, %r6;
  ld.shared.u32 %r7, [%r6];
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd3, %rd1, %rd3;
  st.global.u32 [%rd3], %r7;
)");
}

TEST(Races, SharedMemoryBetweenWarpsWantsABarrier) {
  clean(exchange("bar.sync 0;", 32), 1, 64);
  clean(exchange("barrier.sync 3, 64;", 32), 1, 64);
  racy(exchange("", 32), 1, 64, "__syncthreads() between");
  racy(exchange("bar.warp.sync 0xffffffff;", 32), 1, 64, "__syncthreads() between");
  racy(exchange("membar.cta;", 32), 1, 64, "__syncthreads() between");
}

TEST(Races, LanesOfAWarpWantASyncwarp) {
  clean(exchange("bar.warp.sync 0xffffffff;", 1), 1, 64);
  clean(exchange("bar.sync 0;", 1), 1, 64);
  racy(exchange("", 1), 1, 64, "__syncwarp() between");
  racy(exchange("shfl.sync.bfly.b32 %r8, %r1, 1, 31, 0xffffffff;", 1), 1, 64, "__syncwarp() between");
}

TEST(Races, TilesOfAWarpAreKeptApart) {
  // Masks of 16 lanes each, named by the lanes of a warp that has not diverged.
  const std::string halves = R"(and.b32 %r9, %r1, 16;
  mov.u32 %r10, 0xffff;
  shl.b32 %r10, %r10, %r9;
  bar.warp.sync %r10;)";
  clean(exchange(halves, 1), 1, 32);
  racy(exchange(halves, 16), 1, 32, "__syncwarp() between");
}

TEST(Races, BarriersOfSomeWarpsOrderThoseAlone) {
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2.
  const std::string pairs = R"(shr.u32 %r9, %r1, 6;
  add.u32 %r9, %r9, 1;
  barrier.sync %r9, 64;)";
  clean(exchange(pairs, 32), 1, 128);
  racy(exchange(pairs, 64), 1, 128, "__syncthreads() between");
}

TEST(Races, ArrivalsReleaseAndDoNotAcquire) {
  // Warp 0 writes and arrives; warp 1 waits and reads. Writing after the arrival is too late.
  const auto body = [](const std::string& late) {
    return kernel(R"(  mov.u32 %r3, tile;
  and.b32 %r4, %r1, 31;
  shl.b32 %r4, %r4, 2;
  add.u32 %r5, %r3, %r4;
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra READER;
  st.shared.u32 [%r5], %r1;
  bar.arrive 1, 64;
  )" + late + R"(
  bra DONE;
READER:
  bar.sync 1, 64;
  ld.shared.u32 %r7, [%r5];
DONE:
)");
  };
  clean(body(""), 1, 64);
  racy(body("st.shared.u32 [%r5], 7;"), 1, 64, "shared");
}

TEST(Races, LoopsNeedASecondBarrier) {
  const auto body = [](const std::string& end) {
    return kernel(R"(  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  xor.b32 %r6, %r4, 128;
  add.u32 %r6, %r3, %r6;
  mov.u32 %r8, 0;
LOOP:
  st.shared.u32 [%r5], %r8;
  bar.sync 0;
  ld.shared.u32 %r7, [%r6];
  )" + end + R"(
  add.u32 %r8, %r8, 1;
  setp.lt.u32 %p1, %r8, 4;
  @%p1 bra LOOP;
)");
  };
  clean(body("bar.sync 0;"), 1, 64);
  racy(body(""), 1, 64, "__syncthreads() between");
}

TEST(Races, BytesOfAWordAreKeptApart) {
  const auto body = [](const std::string& shift) {
    return kernel("  shr.u32 %r4, %r1, " + shift + R"(;
  cvt.u64.u32 %rd3, %r4;
  add.u64 %rd3, %rd1, %rd3;
  st.global.u8 [%rd3], %r1;
)");
  };
  clean(body("0"), 1, 64);
  racy(body("1"), 1, 64, "lanes of one instruction");
}

TEST(Races, LoadsOfWhatOtherBlocksWriteThroughAnotherArgument) {
  // Where both arguments are parts of one allocation, what is only read through one is written through the
  // other.
  const std::string kernel = R"(
.visible .entry k(.param .u64 a, .param .u64 b) {
  .reg .u64 %rd<9>; .reg .u32 %r<9>; .reg .pred %p<3>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];
  mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
  @%p1 st.global.u32 [%rd4], %r2;
  @!%p1 ld.global.u32 %r3, [%rd5];
  ret;
})";
  clean(kernel, 2, 32, {64, 64});
  Lab lab(kernel, Lab::small(2));
  Findings findings;
  Races check(findings);
  engine::LaunchRequest request;
  request.kernel = "k";
  request.grid = {2, 1, 1}, request.block = {32, 1, 1};
  const u64 all = lab.words(64);
  request.arguments = {engine::argument(all), engine::argument(all + 64)};
  request.listeners = {&check};
  LaunchFacts facts;
  facts.grid = request.grid, facts.block = request.block;
  facts.memory = &lab.engine.memory(), facts.arguments = &request.arguments;
  check.prepare(facts);
  ASSERT_TRUE(lab.engine.run(*lab.module, request));
  EXPECT_EQ(findings.all().size(), 1u) << text_of(findings.all());
}

TEST(Races, BlocksWriteTheSameWord) {
  const auto body = [](const std::string& value) {
    return kernel("  setp.ne.u32 %p1, %r1, 0;\n  @!%p1 st.global.u32 [%rd1], " + value + ";\n");
  };
  racy(body("%r2"), 4, 32, "blocks of one launch");
  clean(body("%ntid.x"), 4, 32);  // one value for all: benign, told when asked for
  EXPECT_EQ(races_of(body("%ntid.x"), 4, 32, {256}, 1, true).size(), 1u);
  EXPECT_EQ(races_of(body("%r2"), 4, 32, {256}, 1, true).size(), 0u);
  const auto same = races_of(body("%r1"), 4, 32);  // by chance of the data
  ASSERT_EQ(same.size(), 1u);
  EXPECT_EQ(same[0].severity, Severity::Warning) << "they write the same value";
  clean(kernel("  atom.global.add.u32 %r3, [%rd1], 1;\n"), 4, 64);
  clean(kernel("  red.global.add.u32 [%rd1], 1;\n"), 4, 64);
}

TEST(Races, AtomicsOfABlockDoNotOrderBlocks) {
  racy(kernel("  atom.cta.global.add.u32 %r3, [%rd1], 1;\n"), 2, 32, "a wider scope");
  clean(kernel("  atom.cta.global.add.u32 %r3, [%rd1], 1;\n"), 1, 64);
  racy(kernel(R"(  setp.eq.u32 %p1, %r2, 0;
  @%p1 atom.cta.global.add.u32 %r3, [%rd1], 1;
  @!%p1 atom.gpu.global.add.u32 %r3, [%rd1], 1;
)"),
       2, 32, "a wider scope");
}

TEST(Races, TheOrderOfBlocksDoesNotDecide) {
  // The block that does something else than the others is the first, then the last.
  for (const char* which : {"0", "3"}) {
    const auto body = [&](const std::string& one, const std::string& others) {
      return kernel(std::string("  setp.eq.u32 %p1, %r2, ") + which + ";\n  @%p1 " + one + "\n  @!%p1 " +
                    others + "\n");
    };
    racy(body("st.global.u32 [%rd1], %r1;", "ld.global.u32 %r3, [%rd1];"), 4, 1, "another block");
    racy(body("ld.global.u32 %r3, [%rd1];", "atom.global.add.u32 %r3, [%rd1], 1;"), 4, 1, "another block");
    racy(body("st.global.u32 [%rd1], 1;", "atom.global.add.u32 %r3, [%rd1], 1;"), 4, 1, "another block");
    clean(body("ld.volatile.global.u32 %r3, [%rd1];", "atom.global.add.u32 %r3, [%rd1], 1;"), 4, 1);
  }
}

/// Block 0 writes data and a flag, block 1 waits for the flag and reads the data.
std::string message(const std::string& release, const std::string& set, const std::string& poll,
                    const std::string& acquire) {
  return kernel(R"(  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra WAIT;
  st.global.u32 [%rd1+128], 42;
  )" + release + "\n  " +
                set + R"(
  bra DONE;
WAIT:
  )" + poll + R"(
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra WAIT;
  )" + acquire + R"(
  ld.global.u32 %r4, [%rd1+128];
DONE:
)");
}

TEST(Races, FlagsWantAFenceOnBothSides) {
  const std::string set = "st.volatile.global.u32 [%rd1], 1;", poll = "ld.volatile.global.u32 %r3, [%rd1];";
  clean(message("membar.gl;", set, poll, "membar.gl;"), 2, 1);
  clean(message("fence.acq_rel.gpu;", set, poll, "fence.acq_rel.gpu;"), 2, 1);
  racy(message("", set, poll, "membar.gl;"), 2, 1, "an acquire");
  racy(message("membar.gl;", set, poll, ""), 2, 1, "__threadfence() after the atomic or volatile read");
  racy(message("membar.cta;", set, poll, "membar.gl;"), 2, 1, "an acquire");
  racy(message("membar.gl;", set, poll, "membar.cta;"), 2, 1, "another block");
  clean(message("", "st.release.gpu.global.u32 [%rd1], 1;", "ld.acquire.gpu.global.u32 %r3, [%rd1];", ""), 2,
        1);
  racy(message("", "st.release.cta.global.u32 [%rd1], 1;", "ld.acquire.gpu.global.u32 %r3, [%rd1];", ""), 2,
       1, "another block");
  clean(message("membar.gl;", "atom.global.exch.b32 %r5, [%rd1], 1;", "atom.global.add.u32 %r3, [%rd1], 0;",
                "membar.gl;"),
        2, 1);
  racy(message("membar.gl;", "st.global.u32 [%rd1], 1;", poll, "membar.gl;"), 2, 1, "another block");
}

TEST(Races, APolledWordMayHoldFlagAndDatum) {
  // As CUB looks back: one volatile word says that the sum is there and how much it is, without any fence.
  const auto body = [](const std::string& wait) {
    return kernel(R"(  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra WAIT;
  st.volatile.global.u32 [%rd1], 77;
  bra DONE;
WAIT:
  ld.volatile.global.u32 %r3, [%rd1];
)" + wait + R"(  st.global.u32 [%rd1+128], %r3;
DONE:
)");
  };
  clean(body("  setp.eq.u32 %p2, %r3, 0;\n  @%p2 bra WAIT;\n"), 2, 1);
  const auto found = races_of(body(""), 2, 1);  // looks once, and takes what happens to be there
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::Warning);
}

TEST(Races, TheLastBlockReadsWhatAllWrote) {
  const auto body = [](const std::string& fence) {
    return kernel(R"(  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd3, %rd1, %rd3;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 st.global.u32 [%rd3+128], %r2;
  )" + fence + R"(
  mov.u32 %r3, tile;
  @%p1 bra MEET;
  atom.global.add.u32 %r4, [%rd1], 1;
  st.shared.u32 [%r3], %r4;
MEET:
  bar.sync 0;
  ld.shared.u32 %r4, [%r3];
  setp.ne.u32 %p2, %r4, 7;
  @%p2 bra DONE;
  and.b32 %r5, %r1, 7;
  mul.wide.u32 %rd4, %r5, 4;
  add.u64 %rd4, %rd1, %rd4;
  ld.global.u32 %r6, [%rd4+128];
DONE:
)");
  };
  clean(body("membar.gl;"), 8, 64);
  racy(body(""), 8, 64, "blocks of one launch");
  racy(body("membar.cta;"), 8, 64, "blocks of one launch");
}

TEST(Races, WhatAnAtomicHasReadComesBeforeItsThread) {
  // The last to come sets the counter back: no fence is needed, its own update has seen all others.
  const auto body = [](const std::string& which) {
    return kernel(R"(  atom.global.add.u32 %r4, [%rd1], 1;
  setp.ne.u32 %p2, %r4, )" +
                  which + R"(;
  @!%p2 st.global.u32 [%rd1], 0;
)");
  };
  clean(body("7"), 8, 1);
  racy(body("3"), 8, 1, "another block");
}

TEST(Races, LocksWantFences) {
  const auto body = [](const std::string& fence) {
    return kernel(R"(TRY:
  atom.global.cas.b32 %r3, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra TRY;
  )" + fence + R"(
  ld.global.u32 %r4, [%rd1+128];
  add.u32 %r4, %r4, 1;
  st.global.u32 [%rd1+128], %r4;
  )" + fence + R"(
  atom.global.exch.b32 %r3, [%rd1], 0;
)");
  };
  clean(body("membar.gl;"), 6, 1);
  racy(body(""), 6, 1, "another block");
}

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
  const auto body = [](const std::string& before_wait, const std::string& after, u32 waits_for = 0) {
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
  @%p0 mbarrier.init.shared.b64 [%r9], 128;
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

TEST(Races, AnAtomicDoesNotHideItsBlocksStore) {
  // Block 0 sets a word before its threads update it; the other block may have come first.
  const auto body = [](const std::string& who) {
    return kernel(R"(  mov.u32 %r3, %ctaid.x;
  or.b32 %r3, %r3, %r1;
  setp.ne.u32 %p1, %r3, )" +
                  who + R"(;
  @!%p1 st.global.u32 [%rd1], 0;
  bar.sync 0;
  red.global.add.u32 [%rd1], 1;
)");
  };
  racy(body("0"), 2, 64, "an order between blocks of one launch");
  clean(body("1000"), 2, 64);  // nobody does
}

TEST(Races, AFindingNamesTheArrayAndBothThreads) {
  const auto found = races_of(exchange("", 32), 1, 64);
  ASSERT_EQ(found.size(), 1u) << text_of(found);
  EXPECT_NE(found[0].more.at(0).find("shared array tile"), std::string::npos) << found[0].more[0];
  // Whoever came first: thread t reads what thread t ^ 32 writes.
  const auto& a = found[0].parties[0].by;
  const auto& b = found[0].parties[1].by;
  EXPECT_EQ(a.thread[0] ^ b.thread[0], 32u);
}

}  // namespace

}  // namespace ww::checks
