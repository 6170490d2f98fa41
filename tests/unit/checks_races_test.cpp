// Races: each faulty kernel is told, with its lines; its fixed twin is not.
#include <fmt/format.h>

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

TEST(Races, WhatIsMissingIsToldWithoutTheFolders) {
  // The parties have the whole path.
  const auto found =
      races_of(kernel("  .loc 1 7 0\n  mov.u32 %r3, tile;\n  mad.lo.u32 %r3, %r1, 4, %r3;\n"
                      "  st.shared.u32 [%r3], %r1;\n  .loc 1 9 0\n  ld.shared.u32 %r5, [%r3+4];\n"
                      "  st.global.u32 [%rd1], %r5;\n") +
                   ".file 1 \"/home/me/project/tile.cu\"\n",
               1, 16);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].parties[0].where.file, "/home/me/project/tile.cu");
  EXPECT_NE(text_of(found).find("missing: a __syncwarp() between tile.cu:7 and tile.cu:9"), std::string::npos)
      << text_of(found);
}
TEST(Races, OnOneLineABarrierBetweenThemTakesTwo) {
  // A thread writes its word and reads that of the next lane, or of the next warp, on the same line.
  const auto body = [](int further) {
    return kernel(
        fmt::format("  mov.u32 %r3, tile;\n  mad.lo.u32 %r3, %r1, 4, %r3;\n  st.shared.u32 [%r3], %r1; "
                    "ld.shared.u32 %r5, [%r3+{}];\n  mul.wide.u32 %rd3, %r1, 4;\n  add.u64 %rd3, %rd1, "
                    "%rd3;\n  st.global.u32 [%rd3], %r5;\n",
                    further));
  };
  racy(body(4), 1, 32, "missing: a __syncwarp() between the accesses at");
  racy(body(128), 1, 64, "missing: a __syncthreads() between the accesses at");
}

TEST(Races, UpdatesOfOneValueWantAnAtomic) {
  // Two words counted up by 64 threads: where two meet in one word no barrier tells them apart.
  const std::string body =
      "  mov.u32 %r3, tile;\n  and.b32 %r4, %r1, 1;\n  mad.lo.u32 %r3, %r4, 4, %r3;\n  ld.shared.u32 %r5, "
      "[%r3]; "
      "add.u32 %r5, %r5, 1; st.shared.u32 [%r3], %r5;\n";
  racy(kernel(body), 1, 64, "missing: an atomic, if threads update one value");
}

TEST(Races, SharedMemoryBetweenWarpsWantsABarrier) {
  clean(exchange("bar.sync 0;", 32), 1, 64);
  clean(exchange("barrier.sync 3, 64;", 32), 1, 64);
  racy(exchange("", 32), 1, 64, "__syncthreads() between");
  racy(exchange("bar.warp.sync 0xffffffff;", 32), 1, 64, "__syncthreads() between");
  racy(exchange("membar.cta;", 32), 1, 64, "__syncthreads() between");
}

TEST(Races, ReadsBeforeABarrierDoNotStandForThoseBehindIt) {
  // Both warps read words 1 to 3; behind a barrier one reads them again, and the other stores to word 1.
  const auto again = [](int reader, const std::string& between) {
    return kernel(R"(  mov.u32 %r3, tile;
  and.b32 %r4, %r1, 31;
  shl.b32 %r5, %r4, 2;
  add.u32 %r5, %r3, %r5;
  setp.lt.u32 %p1, %r4, 3;
  xor.b32 %r7, %r1, )" +
                  std::to_string(reader) + R"(;
  setp.lt.u32 %p2, %r7, 3;
  setp.eq.u32 %p3, %r7, 32;
  @%p1 ld.shared.u32 %r6, [%r5+4];
  bar.sync 0;
  @%p2 ld.shared.u32 %r6, [%r5+4];
)" + between + "  @%p3 st.shared.u32 [%r3+4], %r1;\n");
  };
  for (const int reader : {0, 32}) {
    clean(again(reader, "bar.sync 0;\n"), 1, 64);
    racy(again(reader, ""), 1, 64, "__syncthreads() between");
  }
}

TEST(Races, ReadsOfHalvesDoNotStandForThoseOfWords) {
  // Blocks 0 and 1 read the lower halves of words 1 to 6, block 2 the words; block 3 stores to an upper half.
  const auto halves = [](int upper) {
    return kernel(R"(  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd3, %rd1, %rd3;
  setp.lt.u32 %p1, %r2, 2;
  setp.eq.u32 %p2, %r2, 2;
  setp.eq.u32 %p3, %r2, 3;
  setp.eq.and.u32 %p3, %r1, 0, %p3;
  @%p1 ld.global.u16 %h1, [%rd3+4];
  @%p2 ld.global.u32 %r6, [%rd3+4];
  cvt.u16.u32 %h2, %r1;
  @%p3 st.global.u16 [%rd1+)" +
                  std::to_string(upper) + "], %h2;\n");
  };
  clean(halves(36), 4, 6);
  racy(halves(10), 4, 6, "blocks of one launch");
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

TEST(Races, OneValueInARegisterThatIsUsedAgain) {
  // found = false in every thread, in a register that later holds what was loaded from there.
  const auto body = [](const std::string& between) {
    return kernel("  mov.u32 %r3, 0;\n" + between + "  @!%p2 st.global.u32 [%rd1], %r3;\n  bar.sync 0;\n" +
                  "  ld.global.u32 %r3, [%rd1+64];\n");
  };
  clean(body("  setp.ne.u32 %p2, %r1, 0;\n"), 4, 32);
  // What the block sets last counts, and what a guard may have set is not known.
  const auto last = races_of(body("  setp.ne.u32 %p2, %r1, 0;\n  mov.u32 %r3, %r1;\n"), 4, 32);
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0].severity, Severity::Warning);
  const auto guarded = races_of(body("  setp.ne.u32 %p2, %r1, 0;\n  @%p2 mov.u32 %r3, 5;\n"), 4, 32);
  ASSERT_EQ(guarded.size(), 1u);
  EXPECT_EQ(guarded[0].severity, Severity::Warning);
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

TEST(Races, AFunctionOfCudasHeadersIsToldWithItsOnlyCall) {
  // As nvcc -G leaves them: functions of headers that are called. `calls`: of the outer one, in the user's
  // file.
  const auto found = [](const std::string& calls) {
    return races_of(R"(.file 1 "/usr/local/cuda/include/sm_99_functions.h"
.file 2 "/home/user/a.cu"
.func inner(.param .b64 p) {
  .reg .b64 %rd; .reg .b32 %r;
  ld.param.u64 %rd, [p];
  mov.u32 %r, %tid.x;
  .loc 1 5 1
  st.global.u32 [%rd], %r;
  ret;
}
.func outer(.param .b64 p) {
  .reg .b64 %rd;
  ld.param.u64 %rd, [p];
  { .param .b64 q; st.param.b64 [q], %rd;
  .loc 1 50 1
  call inner, (q); }
  ret;
}
.visible .entry k(.param .u64 a) {
  .reg .b64 %rd;
  ld.param.u64 %rd, [a];
)" + calls + "  ret;\n}\n",
                    2, 32);
  };
  const auto call = [](int line) {
    return "{ .param .b64 q; st.param.b64 [q], %rd;\n.loc 2 " + std::to_string(line) +
           " 1\ncall outer, (q); }\n";
  };
  const auto once = found(call(7));
  ASSERT_FALSE(once.empty());
  for (const Party& p : once[0].parties) {
    EXPECT_EQ(p.where.file, "/home/user/a.cu");
    EXPECT_EQ(p.where.line, 7);
    ASSERT_EQ(p.inlined.size(), 2u);
    EXPECT_EQ(p.inlined[0].line, 5);
  }
  const auto twice = found(call(7) + call(8));  // either may be it
  ASSERT_FALSE(twice.empty());
  EXPECT_EQ(twice[0].parties[0].where.line, 5);
}

}  // namespace

}  // namespace ww::checks
