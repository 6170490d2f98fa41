// Blocks that do in shared memory what blocks before them did are not looked at: one that comes to do
// something else is.
#include <fmt/format.h>

#include "checks_races_lab.h"

namespace ww::checks {

namespace {

using namespace races_lab;

constexpr u32 kBlocks = 8;
constexpr const char* kSame = "setp.eq.u32 %p1, %r2, 99;";  // no block is different
constexpr const char* kOther = "setp.eq.u32 %p1, %r2, 5;";  // block 5 is
constexpr const char* kLatest = "setp.eq.u32 %p1, %r2, 7;";

/// Each thread stores its word of `tile` ([%r5]) between two barriers; `then` follows, with %p1 in one block.
std::string blocks(const std::string& which, const std::string& then) {
  return kernel(which + R"(
  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r1;
  ld.shared.u32 %r6, [%r5];
  bar.sync 0;
  st.shared.u32 [%r5], %r2;
  )" + then + "\n  bar.sync 0;\n");
}

/// Is found whichever block is different, and nothing if none is.
void only_in_one(const std::string& then, const std::string& part) {
  clean(blocks(kSame, then), kBlocks, 64);
  for (const char* which : {kOther, kLatest}) racy(blocks(which, then), kBlocks, 64, part);
}

TEST(RacesRepeats, AnotherInstruction) {
  only_in_one(R"(xor.b32 %r7, %r5, 128;
  @%p1 ld.shared.u32 %r8, [%r7];)",
              "__syncthreads() between");
}

TEST(RacesRepeats, TheSameInstructionElsewhere) {
  only_in_one(R"(mov.u32 %r7, %r5;
  @%p1 xor.b32 %r7, %r5, 128;
  ld.shared.u32 %r8, [%r7];)",
              "__syncthreads() between");
}

TEST(RacesRepeats, TheSameFirstAddressAndAnotherPattern) {
  // Lane 0 of each warp reads its own word in all blocks; the others turn round in one.
  only_in_one(R"(mov.u32 %r7, %r5;
  and.b32 %r8, %r1, 31;
  setp.ne.and.u32 %p2, %r8, 0, %p1;
  @%p2 xor.b32 %r7, %r5, 4;
  ld.shared.u32 %r8, [%r7];)",
              "__syncwarp() between");
}

TEST(RacesRepeats, OtherLanes) {
  // Warp 0 stores words 64 to 66, or to 95; warp 1 reads words 72 to 103.
  only_in_one(R"(mov.u32 %r9, 3;
  @%p1 mov.u32 %r9, 32;
  setp.lt.u32 %p2, %r1, %r9;
  @%p2 st.shared.u32 [%r5+256], %r1;
  setp.ge.u32 %p3, %r1, 32;
  @%p3 ld.shared.u32 %r8, [%r5+160];)",
              "__syncthreads() between");
}

TEST(RacesRepeats, WhatWasPassedOver) {
  // Warp 1 alone is different, when warp 0 has stored.
  only_in_one(R"(setp.ge.and.u32 %p2, %r1, 32, %p1;
  mov.u32 %r7, %r5;
  @%p2 xor.b32 %r7, %r5, 128;
  ld.shared.u32 %r8, [%r7];)",
              "__syncthreads() between");
}

TEST(RacesRepeats, ASyncwarpThatIsMissing) {
  const std::string then = R"(xor.b32 %r7, %r5, 4;
  @%p1 bra NONE;
  bar.warp.sync 0xffffffff;
NONE:
  ld.shared.u32 %r8, [%r7];)";
  only_in_one(then, "__syncwarp() between");
}

TEST(RacesRepeats, ABarrierThatIsMissing) {
  only_in_one(R"(xor.b32 %r7, %r5, 128;
  @%p1 bra NONE;
  bar.sync 0;
NONE:
  ld.shared.u32 %r8, [%r7];)",
              "__syncthreads() between");
}

TEST(RacesRepeats, AnAtomicUpdate) {
  only_in_one(R"(xor.b32 %r7, %r5, 128;
  @%p1 atom.shared.add.u32 %r8, [%r7], 1;)",
              "__syncthreads() between");
}

TEST(RacesRepeats, ACopyThatComesLate) {
  // Another warp reads what the copy brings, behind the wait of the warp that copies alone.
  only_in_one(R"(xor.b32 %r7, %r5, 128;
  @%p1 cp.async.ca.shared.global [%r7], [%rd1], 4;
  cp.async.wait_all;)",
              "__syncthreads() between");
}

TEST(RacesRepeats, ACopyOfTheIntervalBefore) {
  // Waited for behind the barrier: the other warp's read of the next interval is not ordered behind it.
  const auto late = [](const char* which, const std::string& wait) {
    return blocks(which, R"(bar.sync 0;
  @%p1 cp.async.ca.shared.global [%r5], [%rd1], 4;
  )" + wait + R"( bar.sync 0;
  xor.b32 %r7, %r5, 128;
  ld.shared.u32 %r8, [%r7];
  cp.async.wait_all;)");
  };
  clean(late(kSame, ""), kBlocks, 64);
  clean(late(kOther, "cp.async.wait_all;"), kBlocks, 64);
  racy(late(kOther, ""), kBlocks, 64, "copies asynchronously");
}

TEST(RacesRepeats, ARaceOfAllBlocksIsFoundInAll) {
  const auto found = races_of(blocks(kSame, R"(xor.b32 %r7, %r5, 128;
  ld.shared.u32 %r8, [%r7];)"),
                              kBlocks, 64);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].count, kBlocks * 64u);
}

}  // namespace

}  // namespace ww::checks
