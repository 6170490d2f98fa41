// Races behind locks: who holds one first, and whose turn it is.
#include <algorithm>

#include "checks_races_lab.h"

namespace ww::checks {

namespace {

using namespace races_lab;

TEST(RacesLocks, TheFirstHolderOfALockWantsAFenceToo) {
  // Block 0, which is the first in this run, has none behind taking the lock, or one of its block; the others
  // have.
  const auto body = [](const std::string& first, const std::string& take) {
    return kernel("  setp.ne.u32 %p2, %r2, 0;\nTRY:\n  atom.global." + take +
                  ";\n  setp.ne.u32 %p1, %r3, 0;\n  @%p1 bra TRY;\n  @%p2 bra FENCE;\n  " + first +
                  "\n  bra DATA;\nFENCE:\n  membar.gl;\nDATA:\n" + R"(
  ld.global.u32 %r4, [%rd1+128];
  add.u32 %r4, %r4, 1;
  st.global.u32 [%rd1+128], %r4;
  membar.gl;
  atom.global.exch.b32 %r3, [%rd1], 0;
)");
  };
  for (const char* take : {"cas.b32 %r3, [%rd1], 0, 1", "exch.b32 %r3, [%rd1], 1"}) {
    clean(body("membar.gl;", take), 6, 1);
    racy(body("", take), 6, 1, "first to take the lock");
    racy(body("membar.cta;", take), 6, 1, "first to take the lock");
  }
}

TEST(RacesLocks, AStoreMayLetALockGo) {
  // As `*(volatile int*)lock = 0` does, where atomicExch(lock, 0) would, too.
  const auto body = [](const std::string& before, const std::string& atomic) {
    return kernel("TRY:\n  " + atomic + R"(
  membar.gl;
  ld.global.u32 %r4, [%rd1+128];
  add.u32 %r4, %r4, 1;
  st.global.u32 [%rd1+128], %r4;
  )" + before + R"(
  st.volatile.global.u32 [%rd1], 0;
)");
  };
  const std::string take = "  setp.ne.u32 %p1, %r3, 0;\n  @%p1 bra TRY;";
  clean(body("membar.gl;", "atom.global.cas.b32 %r3, [%rd1], 0, 1;\n" + take), 6, 1);
  clean(body("membar.gl;", "mov.u32 %r5, 1;\n  atom.global.cas.b32 %r3, [%rd1], 0, %r5;\n" + take), 6, 1);
  clean(body("membar.gl;", "atom.global.exch.b32 %r3, [%rd1], 1;\n" + take), 6, 1);
  racy(body("", "atom.global.cas.b32 %r3, [%rd1], 0, 1;\n" + take), 6, 1, "global memory");
  // Not where the atomic counts: what it finds, and what is left of it, depends on when the store comes.
  const auto counts = races_of(body("membar.gl;", "atom.global.add.u32 %r3, [%rd1], 1;"), 6, 1);
  ASSERT_FALSE(counts.empty());
  EXPECT_EQ(counts[0].severity, Severity::Warning);
  EXPECT_NE(text_of(counts).find("volatile"), std::string::npos);
}

TEST(RacesLocks, ASemaphoreThatAdmitsTwo) {
  // Its atomics order the critical sections as they ran, mostly one behind the other. Where turns end at
  // atomics, two blocks are in it at a time.
  const auto body = [](const std::string& most) {
    return kernel("TRY:\n  atom.global.add.u32 %r3, [%rd1], 1;\n  setp.lt.u32 %p1, %r3, " + most + R"(;
  @%p1 bra IN;
  atom.global.add.u32 %r3, [%rd1], -1;
  bra TRY;
IN:
  membar.gl;
  ld.global.u32 %r4, [%rd1+128];
  add.u32 %r4, %r4, 1;
  st.global.u32 [%rd1+128], %r4;
  membar.gl;
  atom.global.add.u32 %r3, [%rd1], -1;
)");
  };
  for (const char* order : {"adversarial", "random:1", "random:2", "random:3"}) {
    EXPECT_FALSE(races_of(body("2"), 8, 1, {256}, 1, false, order).empty()) << order;
    EXPECT_TRUE(races_of(body("1"), 8, 1, {256}, 1, false, order).empty()) << order;
  }
  EXPECT_TRUE(races_of(body("2"), 8, 1).empty());
}

TEST(RacesLocks, ALockThatIsTakenByALoadAndAStore) {
  // Two can find the word 0 at once, and do: all who wait look before any of them goes on.
  const auto body = [](const std::string& take) {
    return kernel("TRY:\n" + take + R"(
  membar.gl;
  ld.global.u32 %r4, [%rd1+128];
  add.u32 %r4, %r4, 1;
  st.global.u32 [%rd1+128], %r4;
  membar.gl;
  st.volatile.global.u32 [%rd1], 0;
)");
  };
  const std::string unless_free = "  setp.ne.u32 %p1, %r3, 0;\n  @%p1 bra TRY;\n";
  for (const std::string order : {"volatile", "relaxed.gpu"}) {
    const auto found = races_of(body("  ld." + order + ".global.u32 %r3, [%rd1];\n" + unless_free + "  st." +
                                     order + ".global.u32 [%rd1], 1;"),
                                4, 1);
    const bool data = std::any_of(found.begin(), found.end(), [](const Finding& f) {
      return f.severity == Severity::Error && f.parties[0].what == "writes 4 bytes";
    });
    EXPECT_TRUE(data) << order << "\n" << text_of(found);
  }
  // Test and test-and-set: the exchange takes it, the load before it only waits.
  clean(body("  ld.volatile.global.u32 %r3, [%rd1];\n" + unless_free +
             "  atom.global.exch.b32 %r3, [%rd1], 1;\n" + unless_free),
        4, 1);
}

TEST(RacesLocks, AFlagThatGoesBackAndForthIsNoLock) {
  // Block 0 fills the box where it is empty (0), block 1 takes out what it holds (1), three times over.
  clean(kernel(R"(  mov.u32 %r6, 0;
  xor.b32 %r5, %r2, 1;
ROUND:
WAIT:
  ld.volatile.global.u32 %r3, [%rd1];
  setp.ne.u32 %p1, %r3, %r2;
  @%p1 bra WAIT;
  membar.gl;
  ld.global.u32 %r4, [%rd1+128];
  add.u32 %r4, %r4, 1;
  st.global.u32 [%rd1+128], %r4;
  membar.gl;
  st.volatile.global.u32 [%rd1], %r5;
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p1, %r6, 3;
  @%p1 bra ROUND;
)"),
        2, 1);
}

TEST(RacesLocks, ManyLocksOfOneBlock) {
  // Lane l of each of two warps adds to a volatile word behind lock l, 16 times, then meets all at a barrier,
  // four times over. What they knew of 96 words each was compared each with each: minutes.
  const auto body = [](const std::string& fence) {
    return kernel(R"(  and.b32 %r5, %r1, 31;
  mul.wide.u32 %rd3, %r5, 4;
  add.u64 %rd2, %rd1, %rd3;
  mov.u32 %r6, 0;
ROUND:
  mov.u32 %r7, 0;
AGAIN:
  atom.cta.global.cas.b32 %r3, [%rd2], 0, 1;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra AGAIN;
  )" + fence + R"(
  ld.volatile.global.u32 %r4, [%rd2+128];
  add.u32 %r4, %r4, 1;
  st.volatile.global.u32 [%rd2+128], %r4;
  )" + fence + R"(
  atom.cta.global.exch.b32 %r3, [%rd2], 0;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p1, %r7, 16;
  @%p1 bra AGAIN;
  bar.sync 0;
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p1, %r6, 4;
  @%p1 bra ROUND;
)");
  };
  clean(body("membar.cta;"), 1, 64);
  EXPECT_FALSE(races_of(body(""), 1, 64).empty());
}

TEST(RacesLocks, WhoWaitsForItsTurnIsNotTheFirstToTakeALock) {
  // Block 1 swaps what block 0 has stored, and cannot come before it: no lock, and block 0 needs no fence of
  // its own.
  const auto body = [](const std::string& fence) {
    return kernel(R"(  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra WAIT;
  atom.global.exch.b32 %r3, [%rd1], 1;
  st.global.u32 [%rd1+128], 5;
  )" + fence + R"(
  atom.global.exch.b32 %r3, [%rd1], 2;
  bra DONE;
WAIT:
  atom.global.cas.b32 %r3, [%rd1], 2, 3;
  setp.ne.u32 %p1, %r3, 2;
  @%p1 bra WAIT;
  membar.gl;
  st.global.u32 [%rd1+128], 6;
DONE:
)");
  };
  clean(body("membar.gl;"), 2, 1);
  racy(body(""), 2, 1, "another block");
}

TEST(RacesLocks, ATicketLockIsInOrder) {
  const auto body = [](const std::string& fence) {
    return kernel(R"(  atom.global.add.u32 %r3, [%rd1], 1;
WAIT:
  ld.volatile.global.u32 %r4, [%rd1+128];
  setp.ne.u32 %p1, %r3, %r4;
  @%p1 bra WAIT;
  )" + fence + R"(
  ld.global.u32 %r5, [%rd1+256];
  add.u32 %r5, %r5, 1;
  st.global.u32 [%rd1+256], %r5;
  )" + fence + R"(
  add.u32 %r4, %r4, 1;
  st.volatile.global.u32 [%rd1+128], %r4;
)");
  };
  clean(body("membar.gl;"), 4, 1);
  racy(body(""), 4, 1, "another block");
}

}  // namespace
}  // namespace ww::checks
