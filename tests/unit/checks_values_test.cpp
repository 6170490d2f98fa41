// Uninitialised values. Each faulty kernel has a fixed twin, which must be clean.
#include "checks_values_lab.h"

namespace ww::checks::values_test {

namespace {

TEST(CheckValues, SharedMemoryThatNobodyWrote) {
  const std::string loads = R"(
    ld.shared.f32 %f1, [%r3];
    add.f32 %f2, %f1, 0f3F800000;
    st.global.f32 [%rd3], %f2;)";
  EXPECT_TRUE(says(said(loads), {"a value computed from an uninitialised one", "stores 4 bytes line 19",
                                 "loads 4 uninitialised bytes line 17", "tile (0 bytes into it)"}));
  EXPECT_EQ(said("st.shared.f32 [%r3], 0f3F800000;" + loads), "");
}

TEST(CheckValues, WhatIsTakenByAnUndefinedPredicateIsNoCopy) {
  const auto body = [](const char* first) {
    return std::string(first) + R"(
    ld.shared.f32 %f1, [%r3];
    setp.gt.f32 %p1, %f1, 0f00000000;
    selp.b32 %r4, 1, 2, %p1;
    st.global.u32 [%rd3], %r4;)";
  };
  EXPECT_TRUE(says(said(body("")), {"a value computed from an uninitialised one", "stores 4 bytes"}));
  EXPECT_EQ(said(body("st.shared.f32 [%r3], 0f3F800000;")), "");
}

TEST(CheckValues, ADoubledValueIsComputedAPackedOneIsNot) {
  // As compute-sanitizer's suppressions_initcheck_demo: b[i] = 2 * a[i], of which one byte was never set.
  const auto body = [](const char* distance) {
    return std::string(
               "st.shared.u16 [%r3], %h1; st.shared.u8 [%r3+2], 1; ld.shared.u32 %r4, [%r3]; shl.b32 %r4, "
               "%r4, ") +
           distance + "; st.global.u32 [%rd3], %r4;";
  };
  EXPECT_TRUE(says(said("mov.u16 %h1, 1;" + body("1")), {"a value computed from an uninitialised one"}));
  EXPECT_EQ(said("mov.u16 %h1, 1;" + body("8")), "");
  EXPECT_EQ(said("mov.u16 %h1, 1; st.shared.u8 [%r3+3], 1;" + body("1")), "");
}

TEST(CheckValues, OneByteIsMissing) {
  // Three bytes of a word are written; the branch looks at the fourth, or at the others.
  const auto body = [](const char* mask) {
    return std::string(R"(
    mov.u16 %h1, 1;
    st.shared.u8 [%r3], %h1; st.shared.u8 [%r3+1], %h1; st.shared.u8 [%r3+2], %h1;
    ld.shared.u32 %r4, [%r3];
    and.b32 %r5, %r4, )") +
           mask + R"(;
    setp.eq.u32 %p1, %r5, 0;
    @%p1 bra L;
    st.global.u32 [%rd3], 1;
    L:)";
  };
  EXPECT_TRUE(says(said(body("0xff000000")), {"a branch depends on"}));
  EXPECT_EQ(said(body("0x00ffffff")), "");
}

TEST(CheckValues, GlobalMemoryThatNobodyWrote) {
  const std::string body = R"(
    add.u64 %rd5, %rd2, %rd4;
    ld.global.u32 %r4, [%rd5];
    add.u32 %r4, %r4, %r1;
    st.global.u32 [%rd5], %r4;)";
  EXPECT_TRUE(says(said(body), {"a value computed from", "an allocation of 4096 bytes"}));
  Lab fixed(kernel(body));
  const u64 out = fixed.words(32), in = fixed.words(32);
  fixed.run(1, 32, {out, in});
  EXPECT_EQ(fixed.said(), "");
}

TEST(CheckValues, HalfSetByTheHost) {
  // As a cudaMemset of n bytes for n words.
  Lab lab(kernel(R"(
    add.u64 %rd5, %rd2, %rd4;
    ld.global.u32 %r4, [%rd5];
    add.u32 %r4, %r4, 1;
    st.global.u32 [%rd3], %r4;)"));
  const u64 out = lab.words(32), in = lab.lab.words(32);
  lab.host(in, 32, isa::Direction::Write);
  lab.run(1, 32, {out, in});
  EXPECT_TRUE(says(lab.said(), {"thread 8;", "32 bytes into it"}));
}

TEST(CheckValues, EveryLoadOfUnwrittenMemory) {
  // As initcheck: one byte of the last word is missing, and the word is only copied.
  const std::string body = kernel(R"(
    add.u64 %rd5, %rd2, %rd4;
    ld.global.u32 %r4, [%rd5];
    st.global.u32 [%rd3], %r4;)");
  CheckLab<Unwritten> lab(body);
  const u64 out = lab.words(32), in = lab.lab.words(32);
  lab.host(in, 127, isa::Direction::Write);
  lab.run(1, 32, {out, in});
  EXPECT_TRUE(says(lab.said(), {"unwritten: uninitialised global memory is loaded", "thread 31",
                                "1 of them are uninitialised", "127 bytes into it"}));
  CheckLab<Unwritten> fixed(body);
  fixed.run(1, 32, {fixed.words(32), fixed.words(32)});
  EXPECT_EQ(fixed.said(), "");
}

TEST(CheckValues, Addresses) {
  const std::string loads = R"(
    ld.shared.u32 %r4, [%r3];
    and.b32 %r4, %r4, 15;
    mul.wide.u32 %rd5, %r4, 4;
    add.u64 %rd5, %rd1, %rd5;
    st.global.u32 [%rd5], 7;)";
  EXPECT_TRUE(says(said(loads), {"an address depends on", "stores to that address line 21"}));
  EXPECT_EQ(said("st.shared.u32 [%r3], %r1;" + loads), "");
}

TEST(CheckValues, RegistersThatWereNeverSet) {
  const std::string sum = R"(
    add.u32 %r9, %r9, %r1;
    st.global.u32 [%rd3], %r9;)";
  EXPECT_TRUE(says(said(sum), {"a value computed from", "never initialised"}));
  EXPECT_EQ(said("mov.u32 %r9, 0;" + sum), "");
  // Set in the lanes that use it.
  EXPECT_EQ(said(R"(
    setp.lt.u32 %p1, %r1, 5;
    @%p1 mov.u32 %r9, 3;
    @%p1 add.u32 %r9, %r9, 1;
    @%p1 st.global.u32 [%rd3], %r9;)"),
            "");
  EXPECT_TRUE(says(said(R"(
    setp.lt.u32 %p1, %r1, 5;
    @%p1 mov.u32 %r9, 3;
    add.u32 %r9, %r9, 1;
    st.global.u32 [%rd3], %r9;)"),
                   {"computed from", "thread 5"}));
}

TEST(CheckValues, BranchesOnUnsetVariablesAreHints) {
  Lab lab(kernel(R"(
    setp.eq.u32 %p1, %r9, 3;
    @%p1 bra L;
    st.global.u32 [%rd3], %r1;
    L:)"));
  lab.run(1, 32, {lab.words(64), 0});
  ASSERT_EQ(lab.findings.all().size(), 1u);
  EXPECT_EQ(lab.findings.all()[0].severity, Severity::Hint);
}

TEST(CheckValues, WhatDoesNotMatterIsNotTold) {
  // x ^ x, x - x, x & 0, a selection that takes the other, a shifted-out part, a copy, an unused part of a
  // vector.
  EXPECT_EQ(said(R"(
    ld.shared.u32 %r4, [%r3];
    xor.b32 %r5, %r4, %r4;
    st.global.u32 [%rd3], %r5;
    sub.u32 %r5, %r4, %r4;
    st.global.u32 [%rd3], %r5;
    and.b32 %r5, %r4, 0;
    add.u32 %r5, %r5, 1;
    st.global.u32 [%rd3], %r5;
    setp.ge.u32 %p1, %r1, 0;
    add.u32 %r6, %r4, 1;
    selp.u32 %r5, %r1, %r6, %p1;
    st.global.u32 [%rd3], %r5;
    shr.u32 %r5, %r6, 31;
    shl.b32 %r5, %r5, 1;
    and.b32 %r5, %r5, 1;
    setp.eq.u32 %p2, %r5, 0;
    @%p2 bra L;
    st.global.u32 [%rd3], %r4;
    L:
    st.shared.u32 [tile+4], 5;
    ld.shared.v2.u32 {%r7, %r8}, [tile];
    add.u32 %r7, %r7, 1;
    st.global.u32 [%rd3], %r8;)"),
            "");
}

TEST(CheckValues, PaddingIsCopied) {
  // A struct of a byte and a word, written by its parts, copied whole, and copied by the host.
  Lab lab(kernel(R"(
    st.shared.u8 [tile], 1;
    st.shared.u32 [tile+4], 2;
    ld.shared.v2.u32 {%r4, %r5}, [tile];
    st.global.v2.u32 [%rd1], {%r4, %r5};)"));
  const u64 out = lab.words(64);
  lab.run(1, 1, {out, 0});
  lab.host(out, 256, isa::Direction::Read);
  EXPECT_EQ(lab.said(), "");
}

TEST(CheckValues, PaddingIsCopiedWordByWord) {
  // Of { short; double; }, without optimisation: the second word has no member in it.
  Lab lab(kernel(R"(
    st.shared.u16 [tile], 1;
    st.shared.f64 [tile+8], 0d0000000000000000;
    ld.shared.u32 %r4, [tile]; ld.shared.u32 %r5, [tile+4]; ld.shared.u32 %r6, [tile+8]; ld.shared.u32 %r7, [tile+12];
    st.global.u32 [%rd1], %r4; st.global.u32 [%rd1+4], %r5; st.global.u32 [%rd1+8], %r6;
    st.global.u32 [%rd1+12], %r7;)"));
  const u64 out = lab.words(64);
  lab.run(1, 1, {out, 0});
  lab.host(out, 256, isa::Direction::Read);
  EXPECT_EQ(lab.said(), "");
}

TEST(CheckValues, ThroughGlobalMemoryIntoTheNextLaunch) {
  Lab lab(kernel(R"(
    setp.eq.u64 %p1, %rd2, 0;
    @%p1 bra SECOND;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%rd3], %r4;
    ret;
    SECOND:
    ld.global.u32 %r4, [%rd3];
    setp.gt.u32 %p2, %r4, 3;
    @%p2 bra L;
    st.global.u32 [%rd3], 3;
    L:)"));
  const u64 out = lab.words(64);
  lab.run(1, 32, {out, 0});
  EXPECT_EQ(lab.said(), "");  // the host has set it
  lab.run(1, 32, {out, 1});
  EXPECT_EQ(lab.said(), "");
  lab.run(1, 32, {out, 0});
  EXPECT_TRUE(says(lab.said(), {"a branch depends on"}));
}

TEST(CheckValues, ShufflesFromLanesThatAreNotThere) {
  // A sum over 16 lanes: what lanes 8 to 15 read from beyond does not reach lane 0, but it reaches lane 8.
  const auto body = [](const char* lane) {
    return std::string(R"(
    setp.lt.u32 %p1, %r1, 16;
    @!%p1 bra L;
    mov.u32 %r4, %r1;
    shfl.sync.down.b32 %r5, %r4, 8, 31, 0xffff;
    add.u32 %r4, %r4, %r5;
    shfl.sync.down.b32 %r5, %r4, 4, 31, 0xffff;
    add.u32 %r4, %r4, %r5;
    setp.eq.u32 %p2, %r1, )") +
           lane + R"(;
    @%p2 st.global.u32 [%rd3], %r4;
    L:)";
  };
  EXPECT_EQ(said(body("0")), "");
  EXPECT_TRUE(says(said(body("8")), {"computed from", "shuffles from lane 16, which does not take part"}));
}

TEST(CheckValues, ShufflesFromLanesOfAnotherMask) {
  // Even and odd lanes meet at one shuffle, each half with its own mask.
  const auto body = [](const char* step) {
    return std::string(R"(
    and.b32 %r4, %r1, 1;
    mov.u32 %r5, 0x55555555;
    shl.b32 %r5, %r5, %r4;
    shfl.sync.bfly.b32 %r4, %r1, )") +
           step + R"(, 31, %r5;
    add.u32 %r4, %r4, %r1;
    st.global.u32 [%rd3], %r4;)";
  };
  EXPECT_EQ(said(body("2")), "");
  EXPECT_TRUE(says(said(body("1")), {"computed from", "shuffles from lane 1, which does not take part"}));
}

TEST(CheckValues, ShufflesWithAWidthThatIsNoPowerOfTwo) {
  // c is (32 - width) << 8 | 31, as __shfl_xor_sync() makes it.
  const auto body = [](const std::string& c) {
    return "mov.u32 %r4, %r1;\n  shfl.sync.bfly.b32 %r5, %r4, 4, " + c +
           ", 0xffffffff;\n  add.u32 %r4, %r4, %r5;\n  st.global.u32 [%rd3], %r4;";
  };
  for (const char* right : {"31", "0x101f", "0x181f", "0x1c1f", "0x1e1f", "0x1f1f"})
    EXPECT_EQ(said(body(right)), "") << right;
  EXPECT_TRUE(says(said(body("0x081f")), {"computed from", "a width of 24 lanes", "no power of two"}));
  EXPECT_TRUE(says(said("mov.u32 %r6, 0x161f;\n  " + body("%r6")), {"a width of 10 lanes"}));
}

TEST(CheckValues, VotesWithAnUndefinedPredicate) {
  const auto body = [](const char* first) {
    return std::string(first) + R"(
    ld.shared.u32 %r4, [%r3];
    setp.eq.u32 %p1, %r4, 0;
    vote.sync.ballot.b32 %r5, %p1, 0xffffffff;
    and.b32 %r5, %r5, 0x1;
    setp.eq.u32 %p2, %r5, 0;
    @%p2 bra L;
    st.global.u32 [%rd3], 1;
    L:)";
  };
  EXPECT_TRUE(says(said(body("")), {"a branch depends on"}));
  // Only lane 0's bit counts.
  EXPECT_EQ(said(body("setp.eq.u32 %p3, %r1, 0; @%p3 st.shared.u32 [%r3], 0;")), "");
}

TEST(CheckValues, AtomicsOnMemoryThatNobodyWrote) {
  EXPECT_TRUE(says(said("atom.global.add.u32 %r4, [%rd2], 1;"), {"updates uninitialised memory"}));
  EXPECT_EQ(said("atom.global.exch.b32 %r4, [%rd2], 1;"), "");
  EXPECT_TRUE(says(said("atom.shared.cas.b32 %r4, [tile], 0, 1;"), {"compare-and-swap"}));
  EXPECT_EQ(said("st.shared.u32 [tile], 0; bar.sync 0; atom.shared.cas.b32 %r4, [tile], 0, 1;"), "");
}

TEST(CheckValues, LocalMemory) {
  const std::string depot = ".local .align 4 .b8 depot[64];\n";
  const std::string use = R"(
    ld.local.u32 %r4, [depot+8];
    add.u32 %r4, %r4, 1;
    st.global.u32 [%rd3], %r4;)";
  EXPECT_TRUE(says(said(depot + use), {"computed from", "local memory"}));
  EXPECT_EQ(said(depot + "st.local.u32 [depot+8], 1;" + use), "");
}

TEST(CheckValues, MatrixProducts) {
  // A of 16 x 16 halves and B of 16 x 8 in shared memory, of which row 9 of A is never written. Lane l has
  // row l / 4 of the result in its first two registers and row l / 4 + 8 in the other two: row 9 is lanes 4
  // to 7.
  const auto body = [](const char* lane, const char* d) {
    return std::string(R"(
    .reg .b32 %a<4>; .reg .b32 %b<2>;
    .shared .align 16 .b8 A[512];
    .shared .align 16 .b8 B[256];
    setp.ne.u32 %p1, %r1, 9;
    mov.u32 %r5, A; shl.b32 %r6, %r1, 5; add.u32 %r5, %r5, %r6;
    setp.lt.u32 %p2, %r1, 16;
    and.pred %p3, %p1, %p2;
    @%p3 st.shared.v4.u32 [%r5], {0, 0, 0, 0};
    @%p3 st.shared.v4.u32 [%r5+16], {0, 0, 0, 0};
    mov.u32 %r7, B; shl.b32 %r8, %r1, 4; add.u32 %r7, %r7, %r8;
    @%p2 st.shared.v4.u32 [%r7], {0, 0, 0, 0};
    bar.sync 0;
    and.b32 %r9, %r1, 15; shl.b32 %r9, %r9, 5; shr.u32 %r10, %r1, 4; shl.b32 %r10, %r10, 4;
    add.u32 %r9, %r9, %r10; mov.u32 %r11, A; add.u32 %r9, %r9, %r11;
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, [%r9];
    and.b32 %r12, %r1, 15; shl.b32 %r12, %r12, 4; mov.u32 %r13, B; add.u32 %r12, %r12, %r13;
    ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%b0, %b1}, [%r12];
    mov.f32 %f1, 0f00000000;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%a0, %a1, %a2, %a3}, {%b0, %b1},
      {%f1, %f1, %f1, %f1};
    setp.eq.u32 %p4, %r1, )") +
           lane + ";\n    @%p4 st.global.f32 [%rd3], " + d + ";";
  };
  EXPECT_EQ(said(body("4", "%f2")), "");  // row 1
  EXPECT_EQ(said(body("3", "%f4")), "");  // row 8
  EXPECT_TRUE(says(said(body("4", "%f4")), {"computed from", "A ("}));
  EXPECT_TRUE(says(said(body("7", "%f5")), {"computed from", "A ("}));
  EXPECT_EQ(said(body("8", "%f4")), "");  // row 10
}

TEST(CheckValues, SumsOfWarpgroupsBeginWithoutTheOldOnes) {
  // The registers of the sums hold what nobody wrote: they are read, or not, as the predicate says.
  const auto body = [](const char* predicate) {
    return std::string(R"(
    st.shared.u32 [%r3], 0;
    fence.proxy.async;
    bar.sync 0;
    mov.u32 %r4, 0;
    mov.u32 %r5, tile;
    shr.u32 %r5, %r5, 4;
    or.b32 %r5, %r5, 0x80000;
    cvt.u64.u32 %rd5, %r5;
    setp.)") +
           predicate + R"(.u32 %p1, %r4, 0;
    ld.global.f32 %f1, [%rd2]; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r4, %r4, %r4, %r4}, %rd5, %p1, 1, 1, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    add.f32 %f1, %f1, %f2;
    st.global.f32 [%rd3], %f1;)";
  };
  EXPECT_TRUE(says(said(body("eq"), 128), {"a value computed from an uninitialised one"}));
  EXPECT_EQ(said(body("ne"), 128), "");
}

TEST(CheckValues, AsynchronousCopies) {
  const auto body = [](const char* source) {
    return std::string("mov.u64 %rd6, ") + source + R"(;
    cp.async.ca.shared.global [tile], [%rd6], 16;
    cp.async.wait_all;
    ld.shared.u32 %r4, [tile+4];
    add.u32 %r4, %r4, 1;
    st.global.u32 [%rd3], %r4;)";
  };
  EXPECT_TRUE(says(said(body("%rd2"), 1), {"computed from"}));
  EXPECT_EQ(said(body("%rd1"), 1), "");
}

TEST(CheckValues, EachBlockBeginsAnew) {
  Lab lab(kernel(R"(
    mov.u32 %r4, %ctaid.x;
    setp.eq.u32 %p1, %r4, 0;
    @%p1 st.shared.u32 [%r3], 1;
    ld.shared.u32 %r5, [%r3];
    add.u32 %r5, %r5, 1;
    st.global.u32 [%rd3], %r5;)"));
  const u64 out = lab.words(64);
  lab.run(3, 32, {out, 0});
  ASSERT_EQ(lab.findings.all().size(), 1u);
  EXPECT_EQ(lab.findings.all()[0].count, 2u);  // blocks 1 and 2
  EXPECT_EQ(lab.findings.all()[0].parties[0].by.block[0], 1u);
}

TEST(CheckValues, WrittenBytesRemembersRanges) {
  WrittenBytes w;
  const u64 at = (u64{0x2000} << 32) + 65536 - 100;
  EXPECT_TRUE(w.all_written(at, 1000));
  w.allocated(at, 200000);
  EXPECT_FALSE(w.all_written(at, 1));
  w.written(at + 10, 150000);
  EXPECT_EQ(w.missing(at, 64), (u64{1} << 10) - 1);
  EXPECT_TRUE(w.all_written(at + 10, 150000));
  EXPECT_EQ(w.count_missing(at, 200000).bytes, 200000u - 150000u);
  EXPECT_EQ(w.count_missing(at + 10, 199990).first, at + 150010);
  const u64 other = at + (u64{1} << 30);
  w.copied(other, at, 100);
  EXPECT_EQ(w.missing(other, 64), (u64{1} << 10) - 1);
  w.freed(at, 200000);
  EXPECT_TRUE(w.all_written(at, 200000));
}

}  // namespace

}  // namespace ww::checks::values_test
