// Races of threads that tell each other by flags, counters and locks: fences, atomics and their order.
#include "checks_races_lab.h"

namespace ww::checks {

namespace {

using namespace races_lab;

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

TEST(Races, AFlagMayBeLookedAtOnce) {
  // Who finds it not set yet does without the data, as where a table is made by who comes first.
  const auto body = [](const std::string& release, const std::string& acquire) {
    return kernel(R"(  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra LOOK;
  st.global.u32 [%rd1+128], %r1;
  )" + release + R"(
  st.volatile.global.u64 [%rd1], %rd1;
  bra DONE;
LOOK:
  ld.volatile.global.u64 %rd3, [%rd1];
  setp.eq.u64 %p2, %rd3, 0;
  @%p2 bra DONE;
  )" + acquire + R"(
  ld.global.u32 %r4, [%rd1+128];
DONE:
)");
  };
  for (const char* order : {"forward", "reverse"}) {
    const auto found = races_of(body("membar.gl;", "membar.gl;"), 2, 1, {256}, 1, false, order);
    EXPECT_TRUE(found.empty()) << text_of(found);
    EXPECT_FALSE(races_of(body("", "membar.gl;"), 2, 1, {256}, 1, false, order).empty()) << order;
  }
  racy(body("membar.gl;", ""), 2, 1, "__threadfence() after the atomic or volatile read");
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

TEST(Races, VolatileStoresOfOneWordDependOnTheOrder) {
  const auto body = [](const std::string& value) {
    return kernel("  and.b32 %r3, %r1, 14;\n  st.volatile.global.u32 [%rd1], " + value + ";\n");
  };
  for (u32 threads : {16u, 64u}) {  // lanes of one warp, and warps
    const auto found = races_of(body("%r1"), 1, threads);
    ASSERT_EQ(found.size(), 1u) << threads;
    EXPECT_EQ(found[0].severity, Severity::Warning);
    EXPECT_NE(found[0].message.find("depends on the schedule"), std::string::npos) << found[0].message;
    clean(body("1"), 1, threads);  // a flag that all of them set
    EXPECT_EQ(races_of(body("1"), 1, threads, {256}, 1, true).size(), 1u);
  }
  EXPECT_EQ(races_of(body("%r3"), 1, 2).size(), 1u);  // 0 and 0, but by the values of these two threads
}

TEST(Races, LanesBetweenTheFirstAndTheLastMayWriteAnotherValue) {
  const auto found = races_of(kernel("  and.b32 %r3, %r1, 1;\n  st.global.u32 [%rd1], %r3;\n"), 1, 3);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::Error) << text_of(found);  // 0, 1, 0
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

TEST(Races, LanesUpdateAWordInTurn) {
  // Each thread stores a word and counts itself; the last one, of the same warp as others, reads all words.
  const auto body = [](const std::string& fence, const std::string& add, const std::string& who) {
    return kernel(R"(  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd3, %rd1, %rd3;
  st.global.u32 [%rd3+128], %r1;
  )" + fence + "\n  atom" +
                  add + R"(.u32 %r4, [%rd1], 1;
  setp.ne.u32 %p1, %r4, )" +
                  who + R"(;
  @%p1 bra DONE;
  )" + fence + R"(
  ld.global.u32 %r5, [%rd1+128];
  ld.global.u32 %r6, [%rd1+380];
DONE:
)");
  };
  clean(body("membar.gl;", ".global.add", "63"), 1, 64);
  clean(body("", ".acq_rel.gpu.global.add", "63"), 1, 64);
  racy(body("", ".global.add", "31"), 1, 32, "another lane of its warp");
  racy(body("", ".release.gpu.global.add", "31"), 1, 32, "another lane of its warp");
  // Who does not look at the count does not know that it is the last.
  racy(kernel(R"(  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd3, %rd1, %rd3;
  st.global.u32 [%rd3+128], %r1;
  membar.gl;
  atom.global.add.u32 %r4, [%rd1], 1;
  membar.gl;
  setp.ne.u32 %p1, %r1, 31;
  @!%p1 ld.global.u32 %r5, [%rd1+128];
)"),
       1, 32, "another lane of its warp");
  // Thread 40 is the 41st: those behind it have not come yet.
  racy(body("membar.gl;", ".global.add", "40"), 1, 64, "another lane of its warp");
}

TEST(Races, FreeingMemoryOfTheHeapIsAWrite) {
  // Thread 0 allocates, all 64 store there, thread 0 frees it: only behind a barrier they have all done so.
  const auto body = [](const std::string& barrier) {
    return ".extern .func (.param .b64 r) malloc (.param .b64 a);\n.extern .func free (.param .b64 a);\n" +
           kernel(R"(  setp.ne.u32 %p1, %r1, 0;
  mov.u32 %r3, tile;
  @%p1 bra MEET;
  { .param .b64 a; mov.u64 %rd5, 256; st.param.b64 [a], %rd5; .param .b64 r;
    call.uni (r), malloc, (a); ld.param.b64 %rd6, [r]; }
  st.shared.u64 [%r3], %rd6;
MEET:
  bar.sync 0;
  ld.shared.u64 %rd6, [%r3];
  mul.wide.u32 %rd7, %r1, 4;
  add.u64 %rd7, %rd6, %rd7;
  st.u32 [%rd7], %r1;
  )" + barrier + R"(
  @%p1 bra DONE;
  { .param .b64 a; st.param.b64 [a], %rd6; call.uni free, (a); }
DONE:
)");
  };
  clean(body("bar.sync 0;"), 1, 64);
  racy(body(""), 1, 64, "frees the memory of");  // the other warp has stored already
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

TEST(Races, WhoWaitsIsNotOrderedBehindWhatComesAfterTheWait) {
  // A barrier of the grid written by hand, three steps of which the middle one lacks it. Who leaves the first
  // barrier late would find the counter where those who left it early have come to the last one.
  const auto barrier = [](int number) {
    const std::string label = "WAIT" + std::to_string(number);
    return "  membar.gl;\n  atom.global.add.u32 %r3, [%rd1], 1;\n" + label +
           ":\n  ld.volatile.global.u32 %r3, [%rd1];\n  setp.lt.u32 %p1, %r3, " + std::to_string(4 * number) +
           ";\n  @%p1 bra " + label + ";\n  membar.gl;\n";
  };
  const auto body = [&](const std::string& middle, int last) {
    return kernel(R"(  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u32 %r4, %r2, 1;
  and.b32 %r4, %r4, 3;
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd5, %rd1, %rd3;
  st.global.u32 [%rd4+128], %r2;
)" + barrier(1) + R"(
  ld.global.u32 %r5, [%rd5+128];
  st.global.u32 [%rd4+256], %r5;
)" + middle + R"(
  ld.global.u32 %r5, [%rd5+256];
  st.global.u32 [%rd4+384], %r5;
)" + barrier(last));
  };
  for (const char* order : {"forward", "reverse", "adversarial", "random:1", "random:2"}) {
    EXPECT_FALSE(races_of(body("", 2), 4, 1, {256}, 1, false, order).empty()) << order;
    EXPECT_TRUE(races_of(body(barrier(2), 3), 4, 1, {256}, 1, false, order).empty()) << order;
  }
}

TEST(Races, AMessageIsReleasedByWhoWritesIt) {
  // The reader comes first in the program. The cure names the writer's line for the release all the same.
  const auto found = races_of(kernel(R"(  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra SEND;
WAIT:
  atom.global.add.u32 %r3, [%rd1], 0;
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra WAIT;
  membar.gl;
  ld.global.u32 %r4, [%rd1+128];
  bra DONE;
SEND:
  st.global.u32 [%rd1+128], 5;
  membar.cta;
  atom.global.exch.b32 %r3, [%rd1], 1;
DONE:
)"),
                              2, 1);
  ASSERT_EQ(found.size(), 1u) << text_of(found);
  const auto line = [](const Party& p) { return p.where.file + ":" + std::to_string(p.where.line); };
  const Party &write = found[0].parties[0], &read = found[0].parties[1];
  ASSERT_EQ(write.what, "writes 4 bytes");
  const std::string text = text_of(found);
  EXPECT_NE(text.find("(__threadfence(), then an atomic) after " + line(write)), std::string::npos) << text;
  EXPECT_NE(text.find("then __threadfence()) before " + line(read)), std::string::npos) << text;
  EXPECT_NE(text.find("__threadfence_block()"), std::string::npos) << text;
}

TEST(Races, AChainOfMoreBlocksThanGoOnAtATimeEndsInEveryOrder) {
  // The first thread of each block adds one to what the block before has left, and tells the next one.
  const std::string chain = kernel(R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra MEET;
  mad.wide.u32 %rd3, %r2, 8, %rd1;
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra FIRST;
WAIT:
  ld.volatile.global.u32 %r3, [%rd3];
  setp.eq.u32 %p3, %r3, 0;
  @%p3 bra WAIT;
  membar.gl;
FIRST:
  ld.global.u32 %r4, [%rd3+4];
  add.u32 %r4, %r4, 1;
  st.global.u32 [%rd3+12], %r4;
  membar.gl;
  st.volatile.global.u32 [%rd3+8], 1;
MEET:
  bar.sync 0;
)");
  for (const char* order : {"forward", "reverse", "adversarial", "random:0", "random:1"}) {
    const auto found = races_of(chain, 150, 64, {302}, 1, false, order);
    EXPECT_TRUE(found.empty()) << order << text_of(found);
  }
}

}  // namespace

}  // namespace ww::checks
